#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/views/apps_v1.h>
#include <kinformer/views/batch_v1.h>
#include <kinformer/views/coordination_v1.h>

#include "test/views/test_objects.h"

namespace kinformer {
namespace {

using apps::v1::DaemonSet;
using apps::v1::Deployment;
using apps::v1::ReplicaSet;
using apps::v1::StatefulSet;
using batch::v1::CronJob;
using batch::v1::Job;
using coordination::v1::Lease;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::ViewOf;

TEST(DeploymentTest, ADeploymentIsReadInFull) {
  const Deployment deployment = ViewOf<Deployment>(R"(
    "spec": {"replicas": 3, "minReadySeconds": 5, "revisionHistoryLimit": 2, "progressDeadlineSeconds": 60,
      "paused": true, "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "10%"}},
      "selector": {"matchLabels": {"app": "web"},
                   "matchExpressions": [{"key": "tier", "operator": "In", "values": ["b", "a"]},
                                        {"key": "old", "operator": "DoesNotExist"}]},
      "template": {"metadata": {"labels": {"app": "web"}, "annotations": {"a": "b"}},
                   "spec": {"containers": [{"name": "main", "image": "web:1"}]}}},
    "status": {"replicas": 4, "readyReplicas": 2, "updatedReplicas": 1, "availableReplicas": 2,
      "unavailableReplicas": 2, "observedGeneration": 9,
      "conditions": [{"type": "Available", "status": "True"}]})");
  EXPECT_EQ(deployment.Replicas(), 3);
  EXPECT_EQ(deployment.MinReadySeconds(), 5);
  EXPECT_EQ(deployment.RevisionHistoryLimit(), 2);
  EXPECT_EQ(deployment.ProgressDeadlineSeconds(), 60);
  EXPECT_TRUE(deployment.Paused());
  EXPECT_EQ(deployment.StrategyType(), "RollingUpdate");
  EXPECT_EQ(deployment.MaxSurge(), "1");
  EXPECT_EQ(deployment.MaxUnavailable(), "10%");
  EXPECT_EQ(ToString(deployment.Selector().value()), "app=web,!old,tier in (a,b)");
  EXPECT_THAT(deployment.Template().Labels(), ElementsAre(Pair("app", "web")));
  EXPECT_THAT(deployment.Template().Annotations(), ElementsAre(Pair("a", "b")));
  EXPECT_EQ(deployment.Template().Spec().Containers().at(0).Image(), "web:1");
  EXPECT_EQ(deployment.StatusReplicas(), 4);
  EXPECT_EQ(deployment.ReadyReplicas(), 2);
  EXPECT_EQ(deployment.UpdatedReplicas(), 1);
  EXPECT_EQ(deployment.AvailableReplicas(), 2);
  EXPECT_EQ(deployment.UnavailableReplicas(), 2);
  EXPECT_EQ(deployment.ObservedGeneration(), 9);
  EXPECT_TRUE(deployment.HasTrueCondition("Available"));
}

TEST(DeploymentTest, ABareDeploymentHasTheDefaultsOfTheApi) {
  const Deployment deployment = ViewOf<Deployment>();
  EXPECT_EQ(deployment.Replicas(), 1);
  EXPECT_EQ(deployment.RevisionHistoryLimit(), 10);
  EXPECT_EQ(deployment.ProgressDeadlineSeconds(), 600);
  EXPECT_EQ(deployment.StrategyType(), "RollingUpdate");
  EXPECT_EQ(deployment.MaxSurge(), "25%");
  EXPECT_EQ(deployment.MaxUnavailable(), "25%");
  EXPECT_FALSE(deployment.Paused());
  EXPECT_EQ(deployment.ReadyReplicas(), 0);
  EXPECT_THAT(deployment.Template().Spec().Containers(), IsEmpty());
  EXPECT_EQ(ViewOf<Deployment>(R"("spec": {"replicas": 0})").Replicas(), 0);
}

TEST(DeploymentTest, NoSelectorMatchesNothingAndAnEmptyOneEverything) {
  EXPECT_EQ(ViewOf<Deployment>().Selector().value(), LabelSelector::Nothing());
  EXPECT_EQ(ViewOf<Deployment>(R"("spec": {"selector": null})").Selector().value(), LabelSelector::Nothing());
  EXPECT_TRUE(ViewOf<Deployment>(R"("spec": {"selector": {}})").Selector().value().IsEverything());
}

TEST(DeploymentTest, ASelectorThatCannotBeUnderstoodIsAnErrorAndNeverMatchesMore) {
  for (const char* selector : {R"("app=web")", R"({"matchLabels": []})", R"({"matchLabels": {"a": 1}})",
                               R"({"matchExpressions": {}})", R"({"matchExpressions": ["a"]})",
                               R"({"matchExpressions": [{"key": "a", "operator": "In", "values": [1, "x"]}]})",
                               R"({"matchExpressions": [{"key": "a", "operator": "In", "values": "x"}]})",
                               R"({"matchExpressions": [{"key": "a", "operator": "Near", "values": ["x"]}]})"}) {
    auto parsed = ViewOf<Deployment>(R"("spec": {"selector": )" + std::string(selector) + "}").Selector();
    ASSERT_FALSE(parsed) << selector;
    EXPECT_FALSE(parsed.error().message.empty());
  }
}

TEST(ReplicaSetTest, AReplicaSetIsReadInFull) {
  const ReplicaSet set = ViewOf<ReplicaSet>(R"(
    "spec": {"replicas": 2, "minReadySeconds": 1, "selector": {"matchLabels": {"a": "b"}},
             "template": {"spec": {"nodeName": "n"}}},
    "status": {"replicas": 5, "fullyLabeledReplicas": 4, "readyReplicas": 3, "availableReplicas": 2,
               "observedGeneration": 1})");
  EXPECT_EQ(set.Replicas(), 2);
  EXPECT_EQ(set.MinReadySeconds(), 1);
  EXPECT_EQ(ToString(set.Selector().value()), "a=b");
  EXPECT_EQ(set.Template().Spec().NodeName(), "n");
  EXPECT_EQ(set.StatusReplicas(), 5);
  EXPECT_EQ(set.FullyLabeledReplicas(), 4);
  EXPECT_EQ(set.ReadyReplicas(), 3);
  EXPECT_EQ(set.AvailableReplicas(), 2);
  EXPECT_EQ(set.ObservedGeneration(), 1);
  EXPECT_EQ(ViewOf<ReplicaSet>().Replicas(), 1);
}

TEST(StatefulSetTest, AStatefulSetIsReadInFull) {
  const StatefulSet set = ViewOf<StatefulSet>(R"(
    "spec": {"replicas": 3, "serviceName": "db", "podManagementPolicy": "Parallel", "minReadySeconds": 4,
             "revisionHistoryLimit": 1, "selector": {"matchLabels": {"a": "b"}},
             "updateStrategy": {"type": "OnDelete", "rollingUpdate": {"partition": 2}},
             "template": {"spec": {"nodeName": "n"}}},
    "status": {"replicas": 6, "readyReplicas": 5, "currentReplicas": 4, "updatedReplicas": 3, "availableReplicas": 2,
               "currentRevision": "r1", "updateRevision": "r2", "observedGeneration": 1})");
  EXPECT_EQ(set.Replicas(), 3);
  EXPECT_EQ(set.ServiceName(), "db");
  EXPECT_EQ(set.PodManagementPolicy(), "Parallel");
  EXPECT_EQ(set.UpdateStrategyType(), "OnDelete");
  EXPECT_EQ(set.Partition(), 2);
  EXPECT_EQ(set.MinReadySeconds(), 4);
  EXPECT_EQ(set.RevisionHistoryLimit(), 1);
  EXPECT_EQ(ToString(set.Selector().value()), "a=b");
  EXPECT_EQ(set.Template().Spec().NodeName(), "n");
  EXPECT_EQ(set.StatusReplicas(), 6);
  EXPECT_EQ(set.ReadyReplicas(), 5);
  EXPECT_EQ(set.CurrentReplicas(), 4);
  EXPECT_EQ(set.UpdatedReplicas(), 3);
  EXPECT_EQ(set.AvailableReplicas(), 2);
  EXPECT_EQ(set.CurrentRevision(), "r1");
  EXPECT_EQ(set.UpdateRevision(), "r2");
  EXPECT_EQ(set.ObservedGeneration(), 1);

  const StatefulSet bare = ViewOf<StatefulSet>();
  EXPECT_EQ(bare.Replicas(), 1);
  EXPECT_EQ(bare.PodManagementPolicy(), "OrderedReady");
  EXPECT_EQ(bare.UpdateStrategyType(), "RollingUpdate");
  EXPECT_EQ(bare.RevisionHistoryLimit(), 10);
}

TEST(DaemonSetTest, ADaemonSetIsReadInFull) {
  const DaemonSet set = ViewOf<DaemonSet>(R"(
    "spec": {"selector": {"matchLabels": {"a": "b"}}, "updateStrategy": {"type": "OnDelete"}, "minReadySeconds": 2,
             "revisionHistoryLimit": 3, "template": {"spec": {"nodeName": "n"}}},
    "status": {"desiredNumberScheduled": 8, "currentNumberScheduled": 7, "updatedNumberScheduled": 6,
               "numberMisscheduled": 5, "numberReady": 4, "numberAvailable": 3, "numberUnavailable": 2,
               "observedGeneration": 1})");
  EXPECT_EQ(ToString(set.Selector().value()), "a=b");
  EXPECT_EQ(set.Template().Spec().NodeName(), "n");
  EXPECT_EQ(set.UpdateStrategyType(), "OnDelete");
  EXPECT_EQ(set.MinReadySeconds(), 2);
  EXPECT_EQ(set.RevisionHistoryLimit(), 3);
  EXPECT_EQ(set.DesiredNumberScheduled(), 8);
  EXPECT_EQ(set.CurrentNumberScheduled(), 7);
  EXPECT_EQ(set.UpdatedNumberScheduled(), 6);
  EXPECT_EQ(set.NumberMisscheduled(), 5);
  EXPECT_EQ(set.NumberReady(), 4);
  EXPECT_EQ(set.NumberAvailable(), 3);
  EXPECT_EQ(set.NumberUnavailable(), 2);
  EXPECT_EQ(set.ObservedGeneration(), 1);
  EXPECT_EQ(ViewOf<DaemonSet>().UpdateStrategyType(), "RollingUpdate");
  EXPECT_EQ(ViewOf<DaemonSet>().RevisionHistoryLimit(), 10);
}

TEST(JobTest, AJobIsReadInFull) {
  const Job job = ViewOf<Job>(R"(
    "spec": {"parallelism": 2, "completions": 5, "completionMode": "Indexed", "backoffLimit": 0,
             "activeDeadlineSeconds": 100, "ttlSecondsAfterFinished": 60, "suspend": true,
             "selector": {"matchLabels": {"a": "b"}}, "template": {"spec": {"restartPolicy": "Never"}}},
    "status": {"active": 1, "ready": 1, "succeeded": 3, "failed": 2, "startTime": "2024-02-29T12:00:00Z",
               "completionTime": "2024-02-29T12:30:00Z", "conditions": [{"type": "Complete", "status": "True"}]})");
  EXPECT_EQ(job.Parallelism(), 2);
  EXPECT_EQ(job.Completions(), 5);
  EXPECT_EQ(job.CompletionMode(), "Indexed");
  EXPECT_EQ(job.BackoffLimit(), 0);
  EXPECT_EQ(job.ActiveDeadlineSeconds(), 100);
  EXPECT_EQ(job.TtlSecondsAfterFinished(), 60);
  EXPECT_TRUE(job.Suspend());
  EXPECT_EQ(ToString(job.Selector().value()), "a=b");
  EXPECT_EQ(job.Template().Spec().RestartPolicy(), "Never");
  EXPECT_EQ(job.Active(), 1);
  EXPECT_EQ(job.Ready(), 1);
  EXPECT_EQ(job.Succeeded(), 3);
  EXPECT_EQ(job.Failed(), 2);
  EXPECT_EQ(FormatTimestamp(job.StartTime().value()), "2024-02-29T12:00:00Z");
  EXPECT_EQ(FormatTimestamp(job.CompletionTime().value()), "2024-02-29T12:30:00Z");
  EXPECT_TRUE(job.IsComplete());
  EXPECT_FALSE(job.IsFailed());
  EXPECT_TRUE(job.IsFinished());
}

TEST(JobTest, ABareJobHasTheDefaultsOfTheApi) {
  const Job job = ViewOf<Job>();
  EXPECT_EQ(job.Parallelism(), 1);
  EXPECT_EQ(job.Completions(), 1);
  EXPECT_EQ(job.CompletionMode(), "NonIndexed");
  EXPECT_EQ(job.BackoffLimit(), 6);
  EXPECT_EQ(job.TtlSecondsAfterFinished(), std::nullopt);
  EXPECT_FALSE(job.IsFinished());
  EXPECT_EQ(job.Selector().value(), LabelSelector::Nothing());
}

TEST(JobTest, AWorkQueueJobHasNoNumberOfCompletions) {
  EXPECT_EQ(ViewOf<Job>(R"("spec": {"parallelism": 3})").Completions(), std::nullopt);
}

TEST(JobTest, AFailedJobIsFinished) {
  const Job job = ViewOf<Job>(R"("status": {"conditions": [{"type": "Failed", "status": "True"}]})");
  EXPECT_TRUE(job.IsFailed());
  EXPECT_TRUE(job.IsFinished());
  EXPECT_FALSE(job.IsComplete());
}

TEST(CronJobTest, ACronJobIsReadInFull) {
  const CronJob cron = ViewOf<CronJob>(R"(
    "spec": {"schedule": "*/5 * * * *", "timeZone": "Europe/Berlin", "suspend": true, "concurrencyPolicy": "Forbid",
             "startingDeadlineSeconds": 30, "successfulJobsHistoryLimit": 0, "failedJobsHistoryLimit": 2,
             "jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never"}}}}},
    "status": {"active": [{"kind": "Job", "namespace": "n", "name": "x-1"}],
               "lastScheduleTime": "2024-02-29T12:00:00Z", "lastSuccessfulTime": "2024-02-29T12:01:00Z"})");
  EXPECT_EQ(cron.Schedule(), "*/5 * * * *");
  EXPECT_EQ(cron.TimeZone(), "Europe/Berlin");
  EXPECT_TRUE(cron.Suspend());
  EXPECT_EQ(cron.ConcurrencyPolicy(), "Forbid");
  EXPECT_EQ(cron.StartingDeadlineSeconds(), 30);
  EXPECT_EQ(cron.SuccessfulJobsHistoryLimit(), 0);
  EXPECT_EQ(cron.FailedJobsHistoryLimit(), 2);
  EXPECT_EQ(cron.Template().Spec().RestartPolicy(), "Never");
  ASSERT_EQ(cron.Active().size(), 1U);
  EXPECT_EQ(cron.Active()[0].Name(), "x-1");
  EXPECT_EQ(FormatTimestamp(cron.LastScheduleTime().value()), "2024-02-29T12:00:00Z");
  EXPECT_EQ(FormatTimestamp(cron.LastSuccessfulTime().value()), "2024-02-29T12:01:00Z");

  const CronJob bare = ViewOf<CronJob>();
  EXPECT_FALSE(bare.Suspend());
  EXPECT_EQ(bare.ConcurrencyPolicy(), "Allow");
  EXPECT_EQ(bare.SuccessfulJobsHistoryLimit(), 3);
  EXPECT_EQ(bare.FailedJobsHistoryLimit(), 1);
  EXPECT_EQ(bare.TimeZone(), std::nullopt);
}

TEST(LeaseTest, ALeaseIsReadToTheMicrosecond) {
  const Lease lease = ViewOf<Lease>(R"("spec": {"holderIdentity": "me", "leaseDurationSeconds": 15,
    "acquireTime": "2024-02-29T12:00:00.000001Z", "renewTime": "2024-02-29T12:00:10.500000Z", "leaseTransitions": 3})");
  EXPECT_EQ(lease.HolderIdentity(), "me");
  EXPECT_EQ(lease.LeaseDurationSeconds(), 15);
  EXPECT_EQ(FormatMicroTime(lease.AcquireTime().value()), "2024-02-29T12:00:00.000001Z");
  EXPECT_EQ(FormatMicroTime(lease.RenewTime().value()), "2024-02-29T12:00:10.500000Z");
  EXPECT_EQ(lease.LeaseTransitions(), 3);
}

TEST(LeaseTest, ALeaseThatNobodyHoldsIsEmpty) {
  const Lease lease = ViewOf<Lease>(R"("spec": {"holderIdentity": null})");
  EXPECT_EQ(lease.HolderIdentity(), "");
  EXPECT_EQ(lease.LeaseDurationSeconds(), std::nullopt);
  EXPECT_EQ(lease.RenewTime(), std::nullopt);
  EXPECT_EQ(lease.LeaseTransitions(), 0);
}

}  // namespace
}  // namespace kinformer
