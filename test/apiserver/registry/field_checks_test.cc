// How incoming objects are checked: against the kind's schema, and by the rules of built-in kinds.

#include "src/apiserver/registry/field_checks.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <kinformer/base/fake_clock.h>

#include "src/apiserver/registry/json_reader.h"
#include "src/apiserver/registry/kind_rules.h"
#include "src/base/task_pool.h"
#include "src/listwatch/storage/memory_backend.h"
#include "src/listwatch/storage/undecorated_storage.h"
#include "src/schema/built_in_schemas.h"
#include "src/schema/prune.h"
#include "src/schema/schema_reader.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ServedKind& KindOf(const std::string& kind) {
  for (const ServedKind& served : BuiltInKinds()) {
    if (served.kind == kind) return served;
  }
  throw std::out_of_range(kind);
}

/// A kind as defined by a CustomResourceDefinition.
ServedKind WebKind() {
  auto pool = std::make_shared<SchemaPool>();
  const Result<const Schema*> root =
      ReadSchema(json::parse(R"({"type":"object","properties":{"metadata":{"type":"object"},
      "spec":{"type":"object","required":["host"],"properties":{"host":{"type":"string","maxLength":5},
      "replicas":{"type":"integer","default":2}}},"status":{"type":"object","properties":{"ready":{"type":"boolean"}}}}})"),
                 nullptr, *pool);
  const GroupVersionKind gvk{"example.com", "v1", "Web"};
  return {.resource = {"example.com", "v1", "webs"},
          .kind = "Web",
          .singular = "web",
          .has_status = true,
          .has_generation = true,
          .unconditional_update = false,
          .schema = std::make_shared<KindSchema>(KindSchema{.kind = gvk, .root = *root, .pool = pool})};
}

class FieldChecksTest : public ::testing::Test {
 protected:
  FieldChecksTest() { pool_.Start(); }

  ResourceStore& Of(const ServedKind& kind) {
    auto& store = stores_[kind.kind];
    if (!store) {
      store = std::make_unique<ResourceStore>(kind,
                                              std::make_shared<UndecoratedStorage>(backend_, kind.ForStorage(), pool_),
                                              RegistryContext{.clock = clock_});
    }
    return *store;
  }
  Result<ObjectPtr> Create(const ServedKind& kind, const std::string& body,
                           FieldValidation validation = FieldValidation::kWarn) {
    warnings_.clear();
    return Of(kind).Create(kind.scope == Scope::kCluster ? "" : "default", body,
                           {.field_validation = validation, .warnings = &warnings_}, {});
  }
  std::string Refusal(const ServedKind& kind, const std::string& body,
                      FieldValidation validation = FieldValidation::kWarn) {
    const auto created = Create(kind, body, validation);
    return created ? "" : std::to_string(created.error().http_status) + " " + created.error().message;
  }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  TaskPool pool_{{.threads = 1, .clock = clock_}};
  const std::shared_ptr<MemoryBackend> backend_ =
      std::make_shared<MemoryBackend>(MemoryBackendOptions{.clock = clock_});
  std::map<std::string, std::unique_ptr<ResourceStore>> stores_;
  std::vector<std::string> warnings_;
};

constexpr const char* kOddPod = R"({"metadata":{"name":"a","name":"b","lables":{}},
    "spec":{"containers":[{"name":"c","image":"i","imagee":"x","image":"j"}],"nodes":1}})";

TEST_F(FieldChecksTest, UnknownAndDoubledFieldsAreWarnedAboutAndNotStored) {
  const auto created = Create(KindOf("Pod"), kOddPod);
  ASSERT_TRUE(created.ok()) << ToString(created.error());
  EXPECT_THAT(warnings_,
              ElementsAre(R"(duplicate field "metadata.name")", R"(duplicate field "spec.containers[0].image")",
                          R"(unknown field "metadata.lables")", R"(unknown field "spec.containers[0].imagee")",
                          R"(unknown field "spec.nodes")"));
  const json pod = (*created)->ToJson();
  EXPECT_EQ(pod["metadata"]["name"], "b");
  EXPECT_FALSE(pod["metadata"].contains("lables"));
  EXPECT_FALSE(pod["spec"].contains("nodes"));
  EXPECT_EQ(pod["spec"]["containers"][0]["image"], "j");
  EXPECT_EQ(pod["spec"]["restartPolicy"], "Always") << "and what is not there gets its default";
}

TEST_F(FieldChecksTest, TheyAreRefusedWhereAClientIsStrictAndNotMentionedWhereItDoesNotCare) {
  EXPECT_EQ(
      Refusal(KindOf("Pod"), kOddPod, FieldValidation::kStrict),
      "400 Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: duplicate field "
      "\"metadata.name\", duplicate field \"spec.containers[0].image\", unknown field \"metadata.lables\", unknown "
      "field \"spec.containers[0].imagee\", unknown field \"spec.nodes\"");
  ASSERT_TRUE(Create(KindOf("Pod"), kOddPod, FieldValidation::kIgnore).ok());
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(FieldChecksTest, UpdatesAndPatchesAreTreatedAlike) {
  ASSERT_TRUE(Create(KindOf("ConfigMap"), R"({"metadata":{"name":"a"},"data":{"k":"v"}})").ok());
  ResourceStore& store = Of(KindOf("ConfigMap"));
  WriteParameters parameters{.warnings = &warnings_};
  ASSERT_TRUE(
      store.Update("default", "a", Subresource::kNone, R"({"metadata":{"name":"a"},"dato":{}})", parameters, {}).ok());
  EXPECT_THAT(warnings_, ElementsAre("unknown field \"dato\""));
  ASSERT_TRUE(store.Patch("default", "a", Subresource::kNone, PatchKind::kMerge, R"({"foo":1})", parameters, {}).ok());
  EXPECT_THAT(warnings_, ElementsAre("unknown field \"foo\""));
  parameters.field_validation = FieldValidation::kStrict;
  const auto put =
      store.Update("default", "a", Subresource::kNone, R"({"metadata":{"name":"a"},"dato":{}})", parameters, {});
  ASSERT_FALSE(put.ok());
  EXPECT_EQ(put.error().http_status, 400);
  const auto patched =
      store.Patch("default", "a", Subresource::kNone, PatchKind::kMerge, R"({"foo":1})", parameters, {});
  ASSERT_FALSE(patched.ok());
  EXPECT_EQ(patched.error().http_status, 422);
  EXPECT_THAT(patched.error().message, HasSubstr("strict decoding error: unknown field \"foo\""));
}

TEST_F(FieldChecksTest, AValueOfAnotherTypeCannotBeHandled) {
  EXPECT_EQ(Refusal(KindOf("Deployment"), R"({"metadata":{"name":"a"},"spec":{"replicas":"3"}})"),
            "400 Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal string into Go "
            "struct field DeploymentSpec.spec.replicas of type int32");
  ASSERT_TRUE(Create(KindOf("ConfigMap"), R"({"metadata":{"name":"a"}})").ok());
  const auto patched = Of(KindOf("ConfigMap"))
                           .Patch("default", "a", Subresource::kNone, PatchKind::kMerge, R"({"data":{"a":1}})", {}, {});
  EXPECT_EQ(patched.error().http_status, 422) << "the patch is what is wrong";
}

TEST_F(FieldChecksTest, AnObjectOfAUsersKindIsCheckedAgainstItsSchema) {
  const ServedKind web = WebKind();
  const auto created = Create(
      web,
      R"({"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"a","labels":{"x":"y"}},"spec":{"host":"h","foo":1},"status":{"ready":true}})");
  ASSERT_TRUE(created.ok()) << ToString(created.error());
  EXPECT_THAT(warnings_, ElementsAre("unknown field \"spec.foo\""));
  const json object = (*created)->ToJson();
  EXPECT_EQ(object["spec"], json::parse(R"({"host":"h","replicas":2})"));
  EXPECT_EQ(object["metadata"]["labels"]["x"], "y") << "metadata is not for its schema to say";
  EXPECT_FALSE(object.contains("status"));
  EXPECT_EQ(
      Refusal(
          web,
          R"({"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"b"},"spec":{"host":"too long","replicas":"x"}})"),
      "422 Web.example.com \"b\" is invalid: [spec.host: Too long: may not be more than 5 bytes, spec.replicas: "
      "Invalid value: \"string\": spec.replicas in body must be of type integer: \"string\"]");
  EXPECT_EQ(Refusal(web, R"({"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"b"},"spec":{}})"),
            "422 Web.example.com \"b\" is invalid: spec.host: Required value");
  EXPECT_EQ(
      Refusal(web,
              R"({"apiVersion":"example.com/v1","kind":"Web","metadata":{"name":"b","labels":{"a":1}},"spec":{}})"),
      "400 Web in version \"v1\" cannot be handled as a Web: json: cannot unmarshal number into Go struct field "
      "ObjectMeta.metadata.labels of type string");
  EXPECT_THAT(Refusal(web, R"({"metadata":{"name":"b"},"spec":{"host":"h"}})"),
              HasSubstr("Object 'Kind' is missing in"));
  json with_status = object;
  with_status["status"] = {{"ready", "yes"}};
  const auto status = Of(web).Update("default", "a", Subresource::kStatus, with_status.dump(), {}, {});
  EXPECT_EQ(status.error().http_status, 422);
}

TEST_F(FieldChecksTest, ASecretsTextsBecomeItsData) {
  const auto created =
      Create(KindOf("Secret"), R"({"metadata":{"name":"s"},"data":{"a":"eA=="},"stringData":{"b":"hello","a":"y"}})");
  ASSERT_TRUE(created.ok()) << ToString(created.error());
  const json secret = (*created)->ToJson();
  EXPECT_EQ(secret["data"], json::parse(R"({"a":"eQ==","b":"aGVsbG8="})"));
  EXPECT_FALSE(secret.contains("stringData"));
  EXPECT_EQ(secret["type"], "Opaque");
}

TEST_F(FieldChecksTest, AJobSelectsItsOwnPodsByItsUid) {
  const auto created =
      Create(KindOf("Job"), R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never",
      "containers":[{"name":"c","image":"i"}]}}}})");
  ASSERT_TRUE(created.ok()) << ToString(created.error());
  const json job = (*created)->ToJson();
  const json uid = job["metadata"]["uid"];
  EXPECT_EQ(job["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"], uid);
  EXPECT_EQ(job["spec"]["template"]["metadata"]["labels"]["batch.kubernetes.io/controller-uid"], uid);
  EXPECT_EQ(job["spec"]["template"]["metadata"]["labels"]["job-name"], "j");
}

TEST_F(FieldChecksTest, NamesAreAsTheirKindWantsThem) {
  EXPECT_TRUE(Create(KindOf("ClusterRole"), R"({"metadata":{"name":"system:node:x"},"rules":[]})").ok());
  EXPECT_THAT(Refusal(KindOf("ClusterRole"), R"({"metadata":{"name":"a%b"}})"), HasSubstr("may not contain '%'"));
  EXPECT_THAT(Refusal(KindOf("Namespace"), R"({"metadata":{"name":"a.b"}})"), HasSubstr("must not contain dots"));
  EXPECT_THAT(Refusal(KindOf("Namespace"), R"({"metadata":{"name":"A"}})"),
              HasSubstr("a lowercase RFC 1123 label must"));
  EXPECT_THAT(Refusal(KindOf("ConfigMap"), R"({"metadata":{"name":"A"}})"),
              HasSubstr("a lowercase RFC 1123 subdomain must"));
  EXPECT_THAT(Refusal(KindOf("ConfigMap"), R"({"metadata":{"name":"a","labels":{"x":"-"}}})"),
              HasSubstr("metadata.labels: Invalid value: \"-\": a valid label must be an empty string or"));
}

/// The rules alone, on objects with their defaults filled in.
class KindRulesTest : public ::testing::Test {
 protected:
  static std::vector<std::string> Wrong(const std::string& kind, const std::string& object,
                                        const std::string& old = "") {
    const auto complete = [&](const std::string& text) {
      json value = json::parse(text);
      ApplyDefaults(*KindOf(kind).FindSchema()->root, value);
      return value;
    };
    const json before = old.empty() ? json() : complete(old);
    std::vector<std::string> all;
    for (const FieldError& error : CheckKind(KindOf(kind), complete(object), old.empty() ? nullptr : &before)) {
      all.push_back(error.field + ": " + error.message);
    }
    return all;
  }
};

TEST_F(KindRulesTest, APodNeedsContainersWithNameAndImage) {
  EXPECT_THAT(Wrong("Pod", R"({"spec":{}})"), ElementsAre("spec.containers: Required value"));
  EXPECT_THAT(Wrong("Pod", "{}"), ElementsAre("spec.containers: Required value"));
  EXPECT_THAT(Wrong("Pod", R"({"spec":{"containers":[{}]}})"),
              ElementsAre("spec.containers[0].name: Required value", "spec.containers[0].image: Required value"));
  EXPECT_THAT(Wrong("Pod", R"({"spec":{"containers":[{"name":"a","image":"i"},{"name":"a","image":"i"}]}})"),
              ElementsAre("spec.containers[1].name: Duplicate value: \"a\""));
  EXPECT_THAT(
      Wrong("Pod", R"({"spec":{"restartPolicy":"Sometimes","containers":[{"name":"A","image":"i","imagePullPolicy":"x",
      "ports":[{"containerPort":70000}],"env":[{"value":"x"}],"volumeMounts":[{"name":"v","mountPath":"/x"}],"livenessProbe":{}}]}})"),
      ElementsAre(
          HasSubstr("spec.containers[0].name: Invalid value: \"A\": a lowercase RFC 1123 label"),
          "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
          "spec.containers[0].env[0].name: Required value", "spec.containers[0].volumeMounts[0].name: Not found: \"v\"",
          "spec.containers[0].livenessProbe: Required value: must specify a handler type",
          "spec.containers[0].imagePullPolicy: Unsupported value: \"x\": supported values: \"Always\", "
          "\"IfNotPresent\", \"Never\"",
          "spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"OnFailure\", "
          "\"Never\""));
}

TEST_F(KindRulesTest, ADeploymentsSelectorSelectsItsPodsAndStays) {
  const std::string good = R"({"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})";
  const std::string other =
      R"({"spec":{"selector":{"matchLabels":{"a":"c"}},"template":{"metadata":{"labels":{"a":"c"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})";
  EXPECT_THAT(Wrong("Deployment", good), IsEmpty());
  EXPECT_THAT(Wrong("Deployment", good, good), IsEmpty());
  EXPECT_THAT(Wrong("Deployment", other, good),
              ElementsAre("spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"c\"}}: field is immutable"));
  EXPECT_THAT(
      Wrong("Deployment", R"({"spec":{"replicas":-1,"strategy":{"type":"Recreate","rollingUpdate":{}},
      "selector":{"matchLabels":{"a":"x"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})"),
      ElementsAre(
          "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match template `labels`",
          "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"",
          "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
          "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"));
  EXPECT_THAT(Wrong("Deployment", "{}"), Contains("spec.selector: Required value"));
  EXPECT_THAT(
      Wrong("Deployment", R"({"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"In","values":["b","c"]},
      {"key":"z","operator":"DoesNotExist"}]},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})"),
      IsEmpty());
  EXPECT_THAT(
      Wrong(
          "StatefulSet",
          R"({"spec":{"serviceName":"b","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})",
          good),
      ElementsAre(HasSubstr("spec: Forbidden: updates to statefulset spec for fields other than")));
}

TEST_F(KindRulesTest, JobsEndAndCronJobsHaveATime) {
  EXPECT_THAT(Wrong("Job", R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}})"),
              ElementsAre("spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""));
  EXPECT_THAT(Wrong("CronJob", R"({"spec":{"jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never",
      "containers":[{"name":"c","image":"i"}]}}}}}})"),
              ElementsAre("spec.schedule: Required value"));
}

TEST_F(KindRulesTest, OfAJobsSpecOnlyItsSizeAndItsTimesMayChange) {
  const auto job = [](const std::string& fields) {
    return R"({"spec":{)" + fields + R"(,"template":{"spec":{"restartPolicy":"Never",
        "containers":[{"name":"c","image":"i"}]}}}})";
  };
  const std::string before = job(R"("parallelism":2,"completions":4,"managedBy":"a.example/b")");
  EXPECT_THAT(Wrong("Job", job(R"("parallelism":3,"completions":4,"managedBy":"a.example/b","backoffLimit":1,
                                  "activeDeadlineSeconds":9,"ttlSecondsAfterFinished":9)"),
                    before),
              IsEmpty());
  EXPECT_THAT(Wrong("Job", job(R"("parallelism":5,"completions":5,"managedBy":"a.example/b")"), before),
              ElementsAre("spec.completions: Invalid value: 5: field is immutable"));
  EXPECT_THAT(Wrong("Job", job(R"("parallelism":2,"completions":4,"managedBy":"c.example/d")"), before),
              ElementsAre("spec.managedBy: Invalid value: \"c.example/d\": field is immutable"));
  EXPECT_THAT(Wrong("Job", job(R"("parallelism":2,"completions":4)"), before),
              ElementsAre("spec.managedBy: Invalid value: null: field is immutable"));

  const std::string indexed = job(R"("parallelism":4,"completions":4,"completionMode":"Indexed",
      "successPolicy":{"rules":[{"succeededCount":1}]})");
  EXPECT_THAT(Wrong("Job", job(R"("parallelism":4,"completions":4,"completionMode":"Indexed",
                                  "successPolicy":{"rules":[{"succeededCount":2}]})"),
                    indexed),
              ElementsAre(::testing::AllOf(::testing::StartsWith("spec.successPolicy: Invalid value: "),
                                           ::testing::EndsWith(": field is immutable"))));
}

TEST_F(KindRulesTest, AnIndexedJobIsResizedAsAWhole) {
  const auto job = [](const std::string& size) {
    return R"({"spec":{"completionMode":"Indexed")" + size + R"(,"template":{"spec":{"restartPolicy":"Never",
        "containers":[{"name":"c","image":"i"}]}}}})";
  };
  const std::string before = job(R"(,"parallelism":4,"completions":4)");
  EXPECT_THAT(Wrong("Job", job(R"(,"parallelism":6,"completions":6)"), before), IsEmpty());
  EXPECT_THAT(Wrong("Job", job(R"(,"parallelism":2,"completions":4)"), before), IsEmpty());
  EXPECT_THAT(Wrong("Job", job(R"(,"parallelism":4,"completions":6)"), before),
              ElementsAre("spec.completions: Invalid value: 6: can only be modified in tandem with spec.parallelism"));
  EXPECT_THAT(Wrong("Job", job(R"(,"parallelism":4)"), before),
              ElementsAre("spec.completions: Required value: when completion mode is Indexed"));
}

TEST_F(KindRulesTest, TheTemplateOfASuspendedJobMayChangeInPart) {
  const auto job = [](const std::string& pod, const std::string& status = "{}", const std::string& metadata = "{}") {
    return R"({"spec":{"suspend":true,"template":{"metadata":)" + metadata +
           R"(,"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i")" + pod + R"(}}},"status":)" +
           status + "}";
  };
  const std::string before = job("}]");
  for (const char* after : {R"(}],"nodeSelector":{"a":"b"})", R"(}],"tolerations":[{"operator":"Exists"}])",
                            R"(}],"schedulingGates":[{"name":"g"}])", R"(}],"affinity":{"nodeAffinity":{}})",
                            R"(,"resources":{"requests":{"cpu":"1"}}}])"}) {
    EXPECT_THAT(Wrong("Job", job(after), before), IsEmpty()) << after;
    EXPECT_THAT(Wrong("Job", before, job(after)), IsEmpty()) << after;
  }
  EXPECT_THAT(Wrong("Job", job("}]", "{}", R"({"labels":{"a":"b"}})"), before), IsEmpty());
  for (const char* after : {R"(,"command":["x"]}])", R"(}],"hostNetwork":true)", R"(}],"affinity":{"podAffinity":{}})",
                            R"(},{"name":"d","image":"i"}])"}) {
    EXPECT_THAT(Wrong("Job", job(after), before), ElementsAre(::testing::StartsWith("spec.template.spec: "))) << after;
  }
  // Only if it has not started, or has been suspended again, and no pod is left.
  const std::string after = job(R"(}],"nodeSelector":{"a":"b"})");
  EXPECT_THAT(Wrong("Job", after, job("}]", R"({"startTime":"2026-01-01T00:00:00Z"})")),
              ElementsAre(::testing::StartsWith("spec.template: ")));
  const std::string suspended =
      R"("startTime":"2026-01-01T00:00:00Z","conditions":[{"type":"Suspended","status":"True"}])";
  EXPECT_THAT(Wrong("Job", after, job("}]", "{" + suspended + "}")), IsEmpty());
  EXPECT_THAT(Wrong("Job", after, job("}]", R"({"active":1,)" + suspended + "}")),
              ElementsAre(::testing::StartsWith("spec.template: ")));
}

TEST_F(KindRulesTest, TheNumbersOfAStatusAreNumbersOfSomething) {
  const auto wrong = [](const std::string& kind, const std::string& status, const std::string& old = "{}") {
    const json before = {{"status", json::parse(old)}};
    std::vector<std::string> all;
    for (const FieldError& error : CheckStatus(KindOf(kind), {{"status", json::parse(status)}}, &before)) {
      all.push_back(error.field + ": " + error.message);
    }
    return all;
  };
  EXPECT_THAT(wrong("Deployment", R"({"replicas":3,"updatedReplicas":2,"readyReplicas":2,"availableReplicas":1})"),
              IsEmpty());
  EXPECT_THAT(wrong("Deployment", R"({"replicas":-1})"),
              Contains("status.replicas: Invalid value: -1: must be greater than or equal to 0"));
  EXPECT_THAT(wrong("Deployment", R"({"replicas":1,"readyReplicas":2,"availableReplicas":3})"),
              ElementsAre("status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
                          "status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas",
                          "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas"));
  EXPECT_THAT(wrong("StatefulSet", R"({"replicas":1,"availableReplicas":1})"),
              ElementsAre("status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas"));
  EXPECT_THAT(wrong("DaemonSet", R"({"numberReady":-2,"collisionCount":1})", R"({"collisionCount":2})"),
              ElementsAre("status.numberReady: Invalid value: -2: must be greater than or equal to 0",
                          "status.collisionCount: Invalid value: 1: cannot be decremented"));
  EXPECT_THAT(wrong("Pod", R"({"phase":"Odd"})"), IsEmpty());
}

TEST_F(KindRulesTest, AServiceNeedsItsPorts) {
  EXPECT_THAT(Wrong("Service", R"({"spec":{}})"), ElementsAre("spec.ports: Required value"));
  EXPECT_THAT(Wrong("Service", R"({"spec":{"clusterIP":"None"}})"), IsEmpty());
  EXPECT_THAT(Wrong("Service", R"({"spec":{"type":"ExternalName"}})"),
              ElementsAre("spec.externalName: Required value"));
  EXPECT_THAT(Wrong("Service", R"({"spec":{"ports":[{"port":1,"name":"a"},{"port":0}]}})"),
              ElementsAre("spec.ports[1].name: Required value",
                          "spec.ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive",
                          "spec.ports[1].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive"));
}

TEST_F(KindRulesTest, WhatIsImmutableStays) {
  EXPECT_THAT(Wrong("ConfigMap", R"({"immutable":true,"data":{"a":"2"}})", R"({"immutable":true,"data":{"a":"1"}})"),
              ElementsAre("data: Forbidden: field is immutable when `immutable` is set"));
  EXPECT_THAT(Wrong("ConfigMap", R"({"data":{"a b":""}})"),
              ElementsAre(HasSubstr("data[a b]: Invalid value: \"a b\": a valid config key")));
  EXPECT_THAT(Wrong("Secret", R"({"type":"x"})", R"({"type":"y"})"),
              ElementsAre("type: Invalid value: \"x\": field is immutable"));
  EXPECT_THAT(Wrong("Secret", R"({"type":"kubernetes.io/tls"})"),
              ElementsAre("data[tls.crt]: Required value", "data[tls.key]: Required value"));
  EXPECT_THAT(Wrong("RoleBinding", R"({"kind":"RoleBinding","roleRef":{"kind":"Role","name":"a"}})",
                    R"({"kind":"RoleBinding","roleRef":{"kind":"Role","name":"b"}})"),
              ElementsAre(HasSubstr("cannot change roleRef")));
}

TEST_F(KindRulesTest, TheRestHaveTheirRules) {
  EXPECT_THAT(Wrong("PersistentVolumeClaim", R"({"spec":{}})"),
              ElementsAre("spec.accessModes: Required value: at least 1 access mode is required",
                          "spec.resources[storage]: Required value"));
  EXPECT_THAT(Wrong("Role", R"({"kind":"Role","rules":[{}]})"),
              ElementsAre("rules[0].verbs: Required value: verbs must contain at least one value",
                          "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
                          "rules[0].resources: Required value: resource rules must supply at least one resource"));
  EXPECT_THAT(Wrong("Ingress", R"({"spec":{}})"),
              ElementsAre("spec: Invalid value: []: either `defaultBackend` or `rules` must be specified"));
  EXPECT_THAT(Wrong("PodDisruptionBudget", R"({"spec":{"minAvailable":1,"maxUnavailable":1}})"),
              ElementsAre(HasSubstr("cannot be both set")));
  EXPECT_THAT(Wrong("HorizontalPodAutoscaler",
                    R"({"spec":{"maxReplicas":1,"minReplicas":2,"scaleTargetRef":{"kind":"a","name":"b"}}})"),
              ElementsAre("spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`"));
  EXPECT_THAT(Wrong("Event", R"({"metadata":{"namespace":"a"},"involvedObject":{"namespace":"b"}})"),
              ElementsAre("involvedObject.namespace: Invalid value: \"b\": does not match event.namespace"));
  EXPECT_THAT(Wrong("Lease", R"({"spec":{"leaseDurationSeconds":0}})"),
              ElementsAre("spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"));
  EXPECT_THAT(Wrong("EndpointSlice", "{}"), ElementsAre("addressType: Required value"));
  EXPECT_THAT(Wrong("StorageClass", "{}"), ElementsAre("provisioner: Required value"));
}

TEST(JsonReader, ItTellsWhatIsThereTwiceAndKeepsTheLast) {
  std::vector<std::string> duplicates;
  const auto read = ReadJson(R"({"a":1,"b":[{"c":1,"c":2},[{"d":1},{"d":1,"d":2}]],"a":{"e":null,"e":true},"f":1.5})",
                             "x", &duplicates);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, json::parse(R"({"a":{"e":true},"b":[{"c":2},[{"d":1},{"d":2}]],"f":1.5})"));
  EXPECT_THAT(duplicates, ElementsAre("b[0].c", "b[1][1].d", "a", "a.e"));
  EXPECT_EQ(*ReadJson("-7", "x"), json(-7));
  EXPECT_FALSE(ReadJson("1e999", "x").ok());
  EXPECT_FALSE(ReadJson("{", "x").ok());
}

}  // namespace
}  // namespace kinformer::apiserver
