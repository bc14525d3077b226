#include <kinformer/watch/wait_condition.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/views/core_v1.h>
#include <kinformer/watch/wait_limit.h>

#include "src/watch/wait_text.h"

namespace kinformer {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using ::testing::HasSubstr;
using ::testing::Not;

ObjectPtr PodWith(const std::string& metadata, const std::string& members) {
  return Object::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default","uid":"u1")" +
                       metadata + "}" + members + "}")
      .value();
}

const ObjectPtr kPending =
    PodWith(R"(,"labels":{"app":"web"},"annotations":{"note":"hush"},"generation":3)",
            R"(,"spec":{"replicas":2,"paused":false},"status":{"phase":"Pending","observedGeneration":2,"conditions":[
              {"type":"Ready","status":"False","reason":"ContainersNotReady"},
              {"type":"Scheduled","status":"True","observedGeneration":3},
              {"type":"Stale","status":"True","observedGeneration":2}]})");
const ObjectPtr kAbsent;

bool Met(const WaitCondition& condition, const ObjectPtr& object) { return condition.IsMetBy(object).value(); }

TEST(WaitConditionTest, ExistenceAndDeletion) {
  EXPECT_TRUE(Met(Exists(), kPending));
  EXPECT_FALSE(Met(Exists(), kAbsent));
  EXPECT_TRUE(Met(IsDeleted(), kAbsent));
  EXPECT_FALSE(Met(IsDeleted(), kPending));
  EXPECT_TRUE(Met(IsDeleted("u0"), kPending)) << "another one of that name";
  EXPECT_FALSE(Met(IsDeleted("u1"), kPending));
  EXPECT_TRUE(Met(IsDeleted("u1"), kAbsent));
  const ObjectPtr dying = PodWith(R"(,"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["example.com/x"])", "");
  EXPECT_TRUE(Met(IsBeingDeleted(), dying));
  EXPECT_FALSE(Met(IsBeingDeleted(), kPending));
  EXPECT_EQ(IsDeleted().Describe(dying),
            "exists, being deleted since 2026-01-01T00:00:00Z with finalizer example.com/x");
}

TEST(WaitConditionTest, FieldsAreComparedWithTheirType) {
  EXPECT_TRUE(Met(FieldEquals("/status/phase", "Pending"), kPending));
  EXPECT_FALSE(Met(FieldEquals("/status/phase", "Running"), kPending));
  EXPECT_FALSE(Met(FieldEquals("/status/phase", "Pending"), kAbsent));
  EXPECT_TRUE(Met(FieldEquals("/spec/replicas", 2), kPending));
  EXPECT_FALSE(Met(FieldEquals("/spec/replicas", "2"), kPending));
  EXPECT_TRUE(Met(FieldEquals("/spec/paused", false), kPending));
  EXPECT_FALSE(Met(FieldEquals("/spec/none", false), kPending));
  EXPECT_FALSE(Met(FieldEquals("/spec/replicas", 1), kPending));
  EXPECT_TRUE(Met(FieldExists("/spec"), kPending));
  EXPECT_FALSE(Met(FieldExists("/spec/none"), kPending));
}

TEST(WaitConditionTest, StatusConditionsOfAnOlderGenerationDoNotCount) {
  EXPECT_FALSE(Met(HasStatusCondition("Ready"), kPending));
  EXPECT_TRUE(Met(HasStatusCondition("Ready", "False"), kPending));
  EXPECT_TRUE(Met(HasStatusCondition("Scheduled"), kPending));
  EXPECT_FALSE(Met(HasStatusCondition("Stale"), kPending));
  EXPECT_FALSE(Met(HasStatusCondition("Unheard"), kPending));
  EXPECT_FALSE(Met(HasStatusCondition("Ready"), kAbsent));
  EXPECT_FALSE(Met(GenerationIsObserved(), kPending));
  EXPECT_THAT(HasStatusCondition("Stale").Describe(kPending), HasSubstr("Stale=True of an older generation"));
  EXPECT_THAT(GenerationIsObserved().Describe(kPending), HasSubstr("generation 3, observed 2"));
}

TEST(WaitConditionTest, LabelsAndAnnotations) {
  EXPECT_TRUE(Met(HasLabel("app"), kPending));
  EXPECT_TRUE(Met(HasLabel("app", "web"), kPending));
  EXPECT_FALSE(Met(HasLabel("app", "db"), kPending));
  EXPECT_FALSE(Met(HasLabel("tier"), kPending));
  EXPECT_TRUE(Met(HasAnnotation("note", "hush"), kPending));
  EXPECT_FALSE(Met(HasAnnotation("note", "loud"), kPending));
  const WaitCondition is_db = HasLabel("app", "db");
  EXPECT_EQ(is_db.Description(), "label app=db");
  EXPECT_THAT(is_db.Describe(kPending), HasSubstr("label app=web"));
  EXPECT_THAT(HasAnnotation("note", "loud").Describe(kPending), Not(HasSubstr("hush")));
}

TEST(WaitConditionTest, CombinesWithAndOrNotAndSaysSo) {
  const WaitCondition both = HasStatusCondition("Ready") && !FieldEquals("/status/phase", "Failed");
  EXPECT_EQ(both.Description(), "status condition Ready=True and not /status/phase=Failed");
  EXPECT_EQ(both.Describe(kPending), "exists, phase Pending, Ready=False (ContainersNotReady)");
  EXPECT_EQ(both.Describe(kAbsent), "absent");
  EXPECT_FALSE(Met(both, kPending));
  const WaitCondition either = both || (Exists() && HasLabel("app"));
  EXPECT_EQ(either.Description(),
            "(status condition Ready=True and not /status/phase=Failed) or (existence and label app)");
  EXPECT_TRUE(Met(either, kPending));
  EXPECT_TRUE(Met(!both, kPending));
  const WaitCondition neither = !(Exists() || IsDeleted());
  EXPECT_EQ(neither.Description(), "not (existence or deletion)");
}

TEST(WaitConditionTest, AsksNoFurtherThanItNeedsAndPassesErrorsOn) {
  const WaitCondition fails(
      "broken", [](const ObjectPtr&) -> Result<bool> { return Error{.code = ErrorCode::kUnknown, .message = "no"}; });
  EXPECT_FALSE(Met(IsDeleted() && fails, kPending));
  EXPECT_TRUE(Met(Exists() || fails, kPending));
  EXPECT_EQ((Exists() && fails).IsMetBy(kPending).error().message, "no");
  EXPECT_EQ((IsDeleted() || fails).IsMetBy(kPending).error().message, "no");
  EXPECT_EQ((fails || Exists()).IsMetBy(kPending).error().message, "no");
  EXPECT_EQ((!fails).IsMetBy(kPending).error().message, "no");
}

TEST(WaitConditionTest, FunctionsOfTheUsersAreConditionsToo) {
  const auto pending = When<Pod>("pending", [](const auto& pod) { return pod.Phase() == "Pending"; });
  EXPECT_TRUE(Met(pending, kPending));
  EXPECT_FALSE(Met(pending, kAbsent));
  const auto absent = When<Pod>("absent", [](const Pod* pod) { return pod == nullptr; });
  EXPECT_TRUE(Met(absent, kAbsent));
  EXPECT_FALSE(Met(absent, kPending));
  const auto untyped = When("named", [](const Object& object) -> Result<bool> { return object.Name() == "web"; });
  EXPECT_TRUE(Met(untyped && pending, kPending));
  EXPECT_FALSE(Met(untyped, kAbsent));
  EXPECT_TRUE(Met(When("any", [](const ObjectPtr& object) { return object == nullptr; }), kAbsent));
}

TEST(WaitConditionTest, WhatTheyThrowAndObjectsOfAnotherKindAreErrors) {
  const auto throws = When<Pod>("wild", [](const Pod&) -> bool { throw std::runtime_error("ouch"); });
  EXPECT_EQ(throws.IsMetBy(kPending).error().code, ErrorCode::kInternal);
  EXPECT_THAT(throws.IsMetBy(kPending).error().message, HasSubstr("\"wild\" threw: ouch"));
  const ObjectPtr node = Object::Parse(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})").value();
  EXPECT_FALSE(throws.IsMetBy(node).ok());
  EXPECT_FALSE(WaitCondition("empty", nullptr).IsMetBy(kPending).ok());
}

TEST(WaitConditionTest, ShowsNoSecrets) {
  const ObjectPtr secret = Object::Parse(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s",
      "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{hunter2}"}},
      "data":{"password":"aHVudGVyMg=="},"stringData":{"password":"hunter2"}})")
                               .value();
  for (const std::string pointer :
       {"/data/password", "/data", "/stringData/password", "/stringData", "", "/metadata/annotations",
        "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"}) {
    const WaitCondition condition = FieldEquals(pointer, "swordfish");
    EXPECT_THAT(condition.Description(), Not(HasSubstr("swordfish")));
    EXPECT_THAT(condition.Describe(secret), Not(HasSubstr("hunter2"))) << pointer;
    EXPECT_THAT(condition.Describe(secret), Not(HasSubstr("aHVudGVyMg"))) << pointer;
  }
  const WaitCondition open = FieldEquals("/database/name", "x");
  EXPECT_THAT(open.Description(), HasSubstr("=x"));
}

TEST(WaitConditionTest, WhatItShowsIsShort) {
  const ObjectPtr large = PodWith("", R"(,"spec":{"text":")" + std::string(100'000, 'x') + "\"}");
  EXPECT_LT(FieldEquals("/spec/text", "y").Describe(large).size(), 300U);
  EXPECT_LT(FieldEquals("/spec", "y").Describe(large).size(), 300U);
}

TEST(WaitLimitTest, NeverOverflows) {
  EXPECT_EQ(WaitLimit(std::chrono::hours::max()).Deadline(), std::nullopt);
  EXPECT_EQ(WaitLimit(Duration::max()).Deadline(), std::nullopt);
  EXPECT_EQ(WaitLimit(-5s).timeout(), 0s);
  EXPECT_EQ(WaitLimit(1min).timeout(), 60s);
  EXPECT_TRUE(WaitLimit(1min).Deadline().has_value());
}

TEST(WaitLimitTest, DurationsReadAsPeopleWriteThem) {
  EXPECT_EQ(internal::DurationText(30s), "30s");
  EXPECT_EQ(internal::DurationText(1500ms), "1.5s");
  EXPECT_EQ(internal::DurationText(20ms), "20ms");
  EXPECT_EQ(internal::DurationText(0s), "0ms");
  EXPECT_EQ(internal::DurationText(90s), "1m30s");
  EXPECT_EQ(internal::DurationText(2h), "2h");
  EXPECT_EQ(internal::DurationText(1h + 1s), "1h1s");
}

}  // namespace
}  // namespace kinformer
