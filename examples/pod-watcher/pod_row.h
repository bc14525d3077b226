#ifndef KINFORMER_EXAMPLES_POD_WATCHER_POD_ROW_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_POD_ROW_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <kinformer/meta/time.h>
#include <kinformer/views/core_v1.h>

enum class Phase { kRunning, kPending, kSucceeded, kFailed, kUnknown };

/// How well a pod is; worst first.
enum class Health {
  kFailing,   ///< Failed, CrashLoopBackOff, ErrImagePull, ...
  kChanging,  ///< Pending, not ready, terminating.
  kGood,      ///< Running and ready.
  kDone,      ///< Completed.
};

/// What the live table shows of a pod. All texts are printable: see Printable.
struct PodRow {
  std::string namespace_name{};
  std::string name{};
  Phase phase = Phase::kUnknown;
  Health health = Health::kChanging;
  std::string status{};  ///< kubectl's STATUS: "Running", "CrashLoopBackOff", "Init:0/1".
  bool ready = false;    ///< The condition Ready.
  std::size_t ready_containers = 0;
  std::size_t containers = 0;  ///< Sidecars included.
  std::int64_t restarts = 0;
  std::optional<kinformer::Timestamp> last_restart{};
  std::optional<kinformer::Timestamp> created{};
  std::string node{};
  std::string ip{};
  std::string images{};  ///< Separated by commas.
  /// The resourceVersion as a number: the higher, the more recent the last change. 0: not a number.
  std::uint64_t version = 0;
  /// When the watch reported the last change. Set by the caller; nullopt for pods of the first list.
  std::optional<kinformer::Timestamp> changed{};

  bool IsNotReady() const { return phase == Phase::kRunning && !ready; }
};

/// READY, STATUS and RESTARTS are those of `kubectl get pods`.
PodRow RowOf(const kinformer::core::v1::Pod& pod);

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_POD_ROW_H_
