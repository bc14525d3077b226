#ifndef KINFORMER_VIEWS_BATCH_V1_H_
#define KINFORMER_VIEWS_BATCH_V1_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kinformer/base/result.h>
#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/selector.h>
#include <kinformer/meta/time.h>
#include <kinformer/views/core_v1.h>
#include <kinformer/views/view.h>

/// Absent strings read as "" and absent numbers as 0; where a default is noted, it is the API's documented default.
namespace kinformer::batch::v1 {

class Job : public View<Job> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"batch", "v1", "Job", "jobs"};

  std::int64_t Parallelism() const;  ///< Default: 1.
  /// nullopt: the success of any pod completes the job. Default if parallelism is absent too: 1.
  std::optional<std::int64_t> Completions() const;
  std::string CompletionMode() const;  ///< Default: "NonIndexed".
  std::int64_t BackoffLimit() const;   ///< Default: 6.
  std::optional<std::int64_t> ActiveDeadlineSeconds() const;
  std::optional<std::int64_t> TtlSecondsAfterFinished() const;
  bool Suspend() const;
  /// An error if it is invalid; matches nothing if the server has not set it yet.
  Result<LabelSelector> Selector() const;
  core::v1::PodTemplate Template() const;

  std::int64_t Active() const;
  std::int64_t Ready() const;
  std::int64_t Succeeded() const;
  std::int64_t Failed() const;
  std::optional<Timestamp> StartTime() const;
  std::optional<Timestamp> CompletionTime() const;

  bool IsComplete() const;  ///< Its condition "Complete" is "True".
  bool IsFailed() const;    ///< Its condition "Failed" is "True".
  bool IsFinished() const { return IsComplete() || IsFailed(); }
};

class CronJob : public View<CronJob> {
 public:
  using View::View;
  static constexpr KindInfo kInfo{"batch", "v1", "CronJob", "cronjobs"};

  std::string Schedule() const;
  std::optional<std::string> TimeZone() const;
  bool Suspend() const;
  std::string ConcurrencyPolicy() const;  ///< Default: "Allow".
  std::optional<std::int64_t> StartingDeadlineSeconds() const;
  std::int64_t SuccessfulJobsHistoryLimit() const;  ///< Default: 3.
  std::int64_t FailedJobsHistoryLimit() const;      ///< Default: 1.
  core::v1::PodTemplate Template() const;           ///< For the pods of its jobs.

  std::vector<ObjectReference> Active() const;  ///< The running jobs.
  std::optional<Timestamp> LastScheduleTime() const;
  std::optional<Timestamp> LastSuccessfulTime() const;
};

}  // namespace kinformer::batch::v1

#endif  // KINFORMER_VIEWS_BATCH_V1_H_
