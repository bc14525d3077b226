#include <kinformer/views/batch_v1.h>

#include "src/views/read.h"

namespace kinformer::batch::v1 {

using internal::Text;
using internal::Time;

std::int64_t Job::Parallelism() const { return At("/spec/parallelism").IntOr(1); }
std::optional<std::int64_t> Job::Completions() const {
  if (const auto completions = At("/spec/completions").AsInt()) return completions;
  return At("/spec/parallelism").AsInt() ? std::nullopt : std::optional<std::int64_t>(1);
}
std::string Job::CompletionMode() const { return At("/spec/completionMode").StringOr("NonIndexed"); }
std::int64_t Job::BackoffLimit() const { return At("/spec/backoffLimit").IntOr(6); }
std::optional<std::int64_t> Job::ActiveDeadlineSeconds() const { return At("/spec/activeDeadlineSeconds").AsInt(); }
std::optional<std::int64_t> Job::TtlSecondsAfterFinished() const { return At("/spec/ttlSecondsAfterFinished").AsInt(); }
bool Job::Suspend() const { return At("/spec/suspend").BoolOr(false); }
Result<LabelSelector> Job::Selector() const { return internal::Selector(At("/spec/selector")); }
core::v1::PodTemplate Job::Template() const { return {object(), At("/spec/template")}; }
std::int64_t Job::Active() const { return At("/status/active").IntOr(0); }
std::int64_t Job::Ready() const { return At("/status/ready").IntOr(0); }
std::int64_t Job::Succeeded() const { return At("/status/succeeded").IntOr(0); }
std::int64_t Job::Failed() const { return At("/status/failed").IntOr(0); }
std::optional<Timestamp> Job::StartTime() const { return Time(At("/status/startTime")); }
std::optional<Timestamp> Job::CompletionTime() const { return Time(At("/status/completionTime")); }
bool Job::IsComplete() const { return HasTrueCondition("Complete"); }
bool Job::IsFailed() const { return HasTrueCondition("Failed"); }

std::string CronJob::Schedule() const { return Text(At("/spec/schedule")); }
std::optional<std::string> CronJob::TimeZone() const { return At("/spec/timeZone").AsString(); }
bool CronJob::Suspend() const { return At("/spec/suspend").BoolOr(false); }
std::string CronJob::ConcurrencyPolicy() const { return At("/spec/concurrencyPolicy").StringOr("Allow"); }
std::optional<std::int64_t> CronJob::StartingDeadlineSeconds() const {
  return At("/spec/startingDeadlineSeconds").AsInt();
}
std::int64_t CronJob::SuccessfulJobsHistoryLimit() const { return At("/spec/successfulJobsHistoryLimit").IntOr(3); }
std::int64_t CronJob::FailedJobsHistoryLimit() const { return At("/spec/failedJobsHistoryLimit").IntOr(1); }
core::v1::PodTemplate CronJob::Template() const { return {object(), At("/spec/jobTemplate/spec/template")}; }
std::vector<ObjectReference> CronJob::Active() const {
  return internal::Lenses<ObjectReference>(object(), At("/status/active"));
}
std::optional<Timestamp> CronJob::LastScheduleTime() const { return Time(At("/status/lastScheduleTime")); }
std::optional<Timestamp> CronJob::LastSuccessfulTime() const { return Time(At("/status/lastSuccessfulTime")); }

}  // namespace kinformer::batch::v1
