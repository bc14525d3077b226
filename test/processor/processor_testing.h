#ifndef KINFORMER_TEST_PROCESSOR_PROCESSOR_TESTING_H_
#define KINFORMER_TEST_PROCESSOR_PROCESSOR_TESTING_H_

#include <chrono>
#include <cstddef>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include <kinformer/codec/object.h>
#include <kinformer/processor/event_handler.h>

#include "src/base/mutex.h"
#include "src/processor/notification.h"

namespace kinformer::internal {

/// Upper bound on any wait in these tests.
inline constexpr std::chrono::seconds kPatience{30};

inline ObjectPtr Pod(const std::string& name, int version = 1, const std::string& uid = "u") {
  return *Object::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                        R"(","namespace":"default","uid":")" + uid + R"(","resourceVersion":")" +
                        std::to_string(version) + R"("}})");
}

inline Notification Added(ObjectPtr after, bool initial = false) {
  return {.kind = Notification::Kind::kAdd, .after = std::move(after), .in_initial_list = initial};
}
inline Notification Updated(ObjectPtr before, ObjectPtr after) {
  return {.kind = Notification::Kind::kUpdate, .before = std::move(before), .after = std::move(after)};
}
inline Notification Synced(const ObjectPtr& object) {
  return {.kind = Notification::Kind::kSync, .before = object, .after = object};
}
inline Notification Gone(ObjectPtr last, bool unknown = false) {
  return {.kind = Notification::Kind::kDelete, .before = std::move(last), .final_state_unknown = unknown};
}

inline std::string Text(const ObjectPtr& o) { return std::string(o->Name()) + std::string(o->ResourceVersion()); }
inline std::string AddText(const ObjectPtr& o, bool initial) { return "+" + Text(o) + (initial ? "!" : ""); }
inline std::string UpdateText(const ObjectPtr& a, const ObjectPtr& b) { return "~" + Text(a) + ">" + Text(b); }
inline std::string DeleteText(const ObjectPtr& o, bool unknown) { return "-" + Text(o) + (unknown ? "?" : ""); }

/// "+a1", "+a1!" (initial list), "~a1>a2", "*a1" (sync), "-a2", "-a2?" (final state unknown).
inline std::string Describe(const Notification& n) {
  switch (n.kind) {
    case Notification::Kind::kAdd:
      return AddText(n.after, n.in_initial_list);
    case Notification::Kind::kUpdate:
      return UpdateText(n.before, n.after);
    case Notification::Kind::kSync:
      return "*" + Text(n.after);
    case Notification::Kind::kDelete:
      return DeleteText(n.before, n.final_state_unknown);
  }
  return "?";
}

/// A one-shot gate: once opened, it stays open for all threads.
class Gate {
 public:
  void Open() { promise_.set_value(); }
  /// Blocks until opened. False on timeout.
  bool Await() const { return opened_.wait_for(kPatience) == std::future_status::ready; }

 private:
  std::promise<void> promise_;
  std::shared_future<void> opened_ = promise_.get_future().share();
};

/// Records the calls of a handler.
class Recorder {
 public:
  EventHandler Handler() {
    return {
        .on_add = [this](const ObjectPtr& o, bool initial) { Record(AddText(o, initial)); },
        .on_update = [this](const ObjectPtr& a, const ObjectPtr& b) { Record(UpdateText(a, b)); },
        .on_delete = [this](const Deleted<ObjectPtr>& d) { Record(DeleteText(d.last_known, d.final_state_unknown)); }};
  }
  void Record(std::string call) {
    {
      const MutexLock lock(mutex_);
      calls_.push_back(std::move(call));
    }
    changed_.NotifyAll();
  }
  std::vector<std::string> Calls() const {
    const MutexLock lock(mutex_);
    return calls_;
  }
  /// Waits until there are `count` calls, then returns all.
  std::vector<std::string> Await(std::size_t count) {
    MutexLock lock(mutex_);
    changed_.Wait(lock, *Clock::System(), Clock::System()->Now() + kPatience, {},
                  [&]() KINFORMER_NO_THREAD_SAFETY_ANALYSIS { return calls_.size() >= count; });
    return calls_;
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> calls_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_TEST_PROCESSOR_PROCESSOR_TESTING_H_
