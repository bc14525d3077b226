#include <kinformer/reflector/transforms.h>

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace kinformer {
namespace {

using nlohmann::json;

constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0","namespace":"default","uid":"u1",)"
    R"("resourceVersion":"7","labels":{"app":"web","a/b":"c"},"annotations":{"x":"y"}},)"
    R"("spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]},"status":{"phase":"Running","podIP":"1.2.3.4"}})";

ObjectPtr Pod() { return Object::Parse(kPod).value(); }

json Projected(std::vector<std::string> fields) {
  const auto object = Project(std::move(fields)).function(Pod());
  EXPECT_TRUE(object.ok());
  EXPECT_TRUE((*object)->IsPartial());
  return (*object)->ToJson();
}

TEST(ProjectTest, KeepsTheNamedFieldsAndWhatIdentifiesTheObject) {
  EXPECT_EQ(Projected({"/spec/nodeName", "/status/phase", "/spec/absent"}), json::parse(R"({
    "apiVersion":"v1","kind":"Pod",
    "metadata":{"name":"web-0","namespace":"default","uid":"u1","resourceVersion":"7"},
    "spec":{"nodeName":"n1"},"status":{"phase":"Running"}})"));
}

TEST(ProjectTest, KeepsAllBelowANamedField) {
  const json pod = Projected({"/metadata", "/spec"});
  EXPECT_EQ(pod["metadata"], json::parse(kPod)["metadata"]);
  EXPECT_EQ(pod["spec"], json::parse(kPod)["spec"]);
  EXPECT_FALSE(pod.contains("status"));
}

TEST(ProjectTest, PointersMayBeEscaped) {
  EXPECT_EQ(Projected({"/metadata/labels/a~1b"})["metadata"]["labels"], json::parse(R"({"a/b":"c"})"));
}

TEST(ProjectTest, ObjectThatLosesNothingStaysItselfAndWhole) {
  const ObjectPtr pod = Pod();
  EXPECT_EQ(Project({"/metadata", "/spec", "/status"}).function(pod).value(), pod);
  EXPECT_FALSE(pod->IsPartial());
  EXPECT_EQ(Project({""}).function(pod).value(), pod);
}

TEST(ProjectTest, NothingNamedKeepsWhatIdentifiesTheObject) {
  const json pod = Projected({});
  EXPECT_EQ(pod["metadata"].size(), 4U);
  EXPECT_EQ(pod.size(), 3U);
}

TEST(ProjectTest, NameIsTheSameForTheSameFields) {
  EXPECT_EQ(Project({"/spec", "/status"}).name, Project({"/status", "/spec", "/spec"}).name);
  EXPECT_NE(Project({"/spec"}).name, Project({"/status"}).name);
  EXPECT_FALSE(Project({}).name.empty());
}

TEST(ProjectTest, WhatIsNoPointerIsAnError) {
  for (const char* wrong : {"spec/nodeName", "/a~2b", "/a~"}) {
    const auto object = Project({wrong}).function(Pod());
    ASSERT_FALSE(object.ok()) << wrong;
    EXPECT_EQ(object.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(object.error().message.find(wrong), std::string::npos);
  }
}

}  // namespace
}  // namespace kinformer
