#ifndef KINFORMER_TEST_LISTWATCH_STORAGE_STORAGE_TESTING_H_
#define KINFORMER_TEST_LISTWATCH_STORAGE_STORAGE_TESTING_H_

// Helpers shared by the storage tests.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kinformer/reflector/lister_watcher.h>

#include "src/listwatch/storage/backend.h"

namespace kinformer::apiserver::testing_support {

using namespace std::chrono_literals;

inline constexpr std::chrono::seconds kPatience{30};

inline Bytes Text(std::string_view text) { return MakeBytes(text); }

/// Waits for the next part of a stream, or its error. nullopt on timeout.
template <typename Part>
std::optional<Result<Part>> TakeNext(PullStream<Part>& stream, std::chrono::milliseconds patience = kPatience) {
  struct Signal {
    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;
  };
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    Result<std::optional<Part>> part = stream.TryNext();
    if (!part) return Result<Part>(std::move(part).error());
    if (*part) return Result<Part>(**std::move(part));
    const auto signal = std::make_shared<Signal>();
    stream.NotifyWhenReady([signal] {
      const std::lock_guard lock(signal->mutex);
      signal->ready = true;
      signal->changed.notify_all();
    });
    std::unique_lock lock(signal->mutex);
    if (!signal->changed.wait_until(lock, deadline, [&] { return signal->ready; })) return std::nullopt;
  }
}

template <typename Part>
bool HasNothing(PullStream<Part>& stream) {
  const Result<std::optional<Part>> part = stream.TryNext();
  return part && !*part;
}

/// An event as "put a=1 (was 0)" or "delete a (was 1)".
inline std::string Describe(const BackendEvent& event) {
  const bool put = event.kind == BackendEvent::Kind::kPut;
  std::string text = (put ? "put " : "delete ") + event.now.key;
  if (put) text.append("=").append(*event.now.value);
  if (event.before) text.append(" (was ").append(*event.before->value).append(")");
  return text;
}

/// A backend and the environment it needs.
class BackendUnderTest {
 public:
  virtual ~BackendUnderTest() = default;
  virtual Backend& backend() = 0;
  virtual std::shared_ptr<Backend> shared() = 0;
  /// Advances the time where it is simulated.
  virtual void Elapse(std::chrono::seconds time) = 0;
  /// Makes the backend unavailable until Mend; it keeps its data.
  virtual void Break() = 0;
  virtual void Mend() = 0;
};

/// `make` may return a backend that earlier tests have used: tests must use their own keys.
struct BackendKind {
  std::string name{};
  std::function<std::unique_ptr<BackendUnderTest>()> make{};
};
inline std::ostream& operator<<(std::ostream& out, const BackendKind& kind) { return out << kind.name; }

/// Memory, and a single etcd.
std::vector<BackendKind> BackendKinds();
BackendKind ThreeEtcds();

/// "/registry/test-<n>/", unique per call.
std::string FreshPrefix();

}  // namespace kinformer::apiserver::testing_support

#endif  // KINFORMER_TEST_LISTWATCH_STORAGE_STORAGE_TESTING_H_
