#ifndef KINFORMER_TEST_REFLECTOR_RECORDING_TARGET_H_
#define KINFORMER_TEST_REFLECTOR_RECORDING_TARGET_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "src/reflector/reflector_target.h"
#include "test/support/patience.h"

namespace kinformer::testing_support {

/// "web-0@17".
inline std::string Brief(const Object& object) {
  return std::string(object.Name()) + "@" + std::string(object.ResourceVersion());
}

/// "add web-0@17", "replace a@1 b@2 at 5", "bookmark 9".
inline std::string Brief(const internal::Delta& delta) {
  using Kind = internal::Delta::Kind;
  switch (delta.kind) {
    case Kind::kAdd:
      return "add " + Brief(*delta.object);
    case Kind::kUpdate:
      return "update " + Brief(*delta.object);
    case Kind::kDelete:
      return "delete " + Brief(*delta.object);
    case Kind::kDrop:
      return "drop " + Brief(*delta.object);
    case Kind::kBookmark:
      return "bookmark " + delta.resource_version;
    case Kind::kReplaceAll: {
      std::string text = "replace";
      for (const ObjectPtr& object : delta.objects) text += " " + Brief(*object);
      return text + " at " + delta.resource_version;
    }
    case Kind::kForget:
    case Kind::kResync:
      break;
  }
  return "a delta that no target receives";
}

/// Records the deltas it receives.
class RecordingTarget final : public ReflectorTarget {
 public:
  void Put(internal::Delta delta) override {
    const std::string line = Brief(delta);
    {
      const std::lock_guard lock(mutex_);
      calls_.push_back(line);
      changed_.notify_all();
    }
    if (on_call) on_call(line);
  }

  /// Waits until there are `count` deltas, then returns all so far.
  std::vector<std::string> AwaitCalls(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [&] { return calls_.size() >= count; });
    return calls_;
  }
  std::size_t calls() const {
    const std::lock_guard lock(mutex_);
    return calls_.size();
  }

  /// Called for each delta, without holding the lock.
  std::function<void(const std::string&)> on_call;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> calls_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_REFLECTOR_RECORDING_TARGET_H_
