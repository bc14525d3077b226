#include "src/apiserver/apply/field_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

FieldSet Read(const char* text) {
  Result<FieldSet> set = FieldSet::FromJson(json::parse(text));
  EXPECT_TRUE(set) << text;
  return set ? *std::move(set) : FieldSet();
}

std::vector<std::string> Paths(const FieldSet& set) {
  std::vector<std::string> paths;
  set.ForEach([&](const FieldPath& path) { paths.push_back(ToString(path)); });
  return paths;
}

TEST(PathElement, IsWrittenAndReadAsFieldsV1HasIt) {
  const std::pair<const char*, const char*> cases[] = {
      {"f:spec", ".spec"},
      {"f:app.kubernetes.io/name", ".app.kubernetes.io/name"},
      {"f:", "."},
      {R"(k:{"name":"web"})", R"([name="web"])"},
      {R"(k:{"containerPort":80,"protocol":"TCP"})", R"([containerPort=80,protocol="TCP"])"},
      {R"(v:"a b")", R"([="a b"])"},
      {R"(v:"a\u003cb")", R"([="a<b"])"},
      {"v:8080", "[=8080]"},
      {"v:true", "[=true]"},
      {"v:1.5", "[=1.5]"},
      {"i:3", "[3]"},
  };
  for (const auto& [text, shown] : cases) {
    const Result<std::optional<PathElement>> element = PathElement::FromText(text);
    ASSERT_TRUE(element && *element) << text;
    EXPECT_EQ((*element)->ToText(), text);
    EXPECT_EQ((*element)->ToString(), shown);
  }
}

TEST(PathElement, TheKeysOfAKeyHaveAnOrder) {
  const auto element = PathElement::FromText(R"(k:{"protocol":"TCP","containerPort":80})");
  ASSERT_TRUE(element && *element);
  EXPECT_EQ((*element)->ToText(), R"(k:{"containerPort":80,"protocol":"TCP"})");
}

TEST(PathElement, WhatIsNoElementIsAnError) {
  for (const char* text : {"", "f", "fx", "k:", "k:[]", "k:{", "v:", "v:{} {}", "i:", "i:x", "i:1x"}) {
    EXPECT_FALSE(PathElement::FromText(text)) << text;
  }
  EXPECT_FALSE(PathElement::FromText("v:" + std::string(1000, '[')));
}

TEST(PathElement, AKindThatIsNotKnownIsPassedOver) {
  const auto element = PathElement::FromText("z:future");
  ASSERT_TRUE(element);
  EXPECT_FALSE(element->has_value());
}

TEST(PathElement, NamesComeBeforeKeysBeforeValuesBeforeIndices) {
  const char* ordered[] = {
      "f:a", "f:b",   R"(k:{"a":1})", R"(k:{"a":1,"b":1})", R"(k:{"a":2})", R"(k:{"a":10})", R"(k:{"a":"1"})",
      "v:1", "v:1.5", "v:2",          R"(v:"a")",           R"(v:"a b")",   "v:false",       "v:true",
      "i:0", "i:2",   "i:10"};
  for (std::size_t i = 0; i < std::size(ordered); ++i) {
    for (std::size_t j = 0; j < std::size(ordered); ++j) {
      const PathElement a = **PathElement::FromText(ordered[i]);
      const PathElement b = **PathElement::FromText(ordered[j]);
      EXPECT_EQ(a.Compare(b), i < j ? -1 : i > j ? 1 : 0) << ordered[i] << " " << ordered[j];
    }
  }
}

TEST(FieldSet, ReadsAndWritesFieldsV1) {
  const char* text =
      R"({"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:name":{}}},"f:replicas":{}}})";
  const FieldSet set = Read(text);
  EXPECT_EQ(set.ToText(), text);
  EXPECT_EQ(set.ToJson(), json::parse(text));
  EXPECT_EQ(set.Size(), 6U);
  EXPECT_THAT(Paths(set),
              testing::ElementsAre(".metadata.labels", ".metadata.labels.app", ".spec.replicas",
                                   R"(.spec.containers[name="web"])", R"(.spec.containers[name="web"].image)",
                                   R"(.spec.containers[name="web"].name)"));
}

TEST(FieldSet, NumbersInKeysAreInTheOrderOfNumbers) {
  const FieldSet set = Read(R"({"f:p":{"k:{\"port\":443}":{},"k:{\"port\":80}":{},"k:{\"port\":8080}":{}}})");
  EXPECT_EQ(set.ToText(), R"({"f:p":{"k:{\"port\":80}":{},"k:{\"port\":443}":{},"k:{\"port\":8080}":{}}})");
}

TEST(FieldSet, WhatIsNoFieldsV1IsRefused) {
  for (const char* text : {"[]", "1", R"({"f:a":1})", R"({"x":{}})", R"({"f:a":{"k:{":{}}})"}) {
    EXPECT_FALSE(FieldSet::FromJson(json::parse(text))) << text;
  }
  json deep = json::object();
  for (int i = 0; i < 600; ++i) deep = json{{"f:a", std::move(deep)}};
  EXPECT_FALSE(FieldSet::FromJson(deep));
}

TEST(FieldSet, UnknownElementsAreDroppedAndTheirParentIsAMember) {
  EXPECT_EQ(Read(R"({"f:a":{"z:b":{"f:c":{}}}})").ToText(), R"({"f:a":{}})");
}

TEST(FieldSet, TheRulesOfSets) {
  struct Case {
    const char* a;
    const char* b;
    const char* united;
    const char* common;
    const char* difference;
    const char* recursive;
  };
  const Case cases[] = {
      {R"({})", R"({})", R"({})", R"({})", R"({})", R"({})"},
      {R"({"f:a":{}})", R"({})", R"({"f:a":{}})", R"({})", R"({"f:a":{}})", R"({"f:a":{}})"},
      {R"({"f:a":{}})", R"({"f:a":{}})", R"({"f:a":{}})", R"({"f:a":{}})", R"({})", R"({})"},
      {R"({"f:a":{},"f:c":{}})", R"({"f:b":{}})", R"({"f:a":{},"f:b":{},"f:c":{}})", R"({})", R"({"f:a":{},"f:c":{}})",
       R"({"f:a":{},"f:c":{}})"},
      // A parent and its child are separate paths; only the recursive difference removes the child with its parent.
      {R"({"f:a":{"f:b":{}}})", R"({"f:a":{}})", R"({"f:a":{".":{},"f:b":{}}})", R"({})", R"({"f:a":{"f:b":{}}})",
       R"({})"},
      {R"({"f:a":{}})", R"({"f:a":{"f:b":{}}})", R"({"f:a":{".":{},"f:b":{}}})", R"({})", R"({"f:a":{}})",
       R"({"f:a":{}})"},
      {R"({"f:a":{".":{},"f:b":{},"f:c":{}}})", R"({"f:a":{"f:b":{}}})", R"({"f:a":{".":{},"f:b":{},"f:c":{}}})",
       R"({"f:a":{"f:b":{}}})", R"({"f:a":{".":{},"f:c":{}}})", R"({"f:a":{".":{},"f:c":{}}})"},
      {R"({"f:l":{"v:1":{},"v:2":{}}})", R"({"f:l":{"v:2":{},"v:3":{}}})", R"({"f:l":{"v:1":{},"v:2":{},"v:3":{}}})",
       R"({"f:l":{"v:2":{}}})", R"({"f:l":{"v:1":{}}})", R"({"f:l":{"v:1":{}}})"},
  };
  for (const Case& c : cases) {
    const FieldSet a = Read(c.a);
    const FieldSet b = Read(c.b);
    EXPECT_EQ(a.Union(b).ToText(), c.united) << c.a << c.b;
    EXPECT_EQ(b.Union(a), a.Union(b)) << c.a << c.b;
    EXPECT_EQ(a.Intersection(b).ToText(), c.common) << c.a << c.b;
    EXPECT_EQ(a.Difference(b).ToText(), c.difference) << c.a << c.b;
    EXPECT_EQ(a.RecursiveDifference(b).ToText(), c.recursive) << c.a << c.b;
    FieldSet in_place = a;
    in_place.Subtract(b);
    EXPECT_EQ(in_place, a.Difference(b)) << c.a << c.b;
  }
}

TEST(FieldSet, LeavesAreWhatNothingGoesOnFrom) {
  EXPECT_EQ(Read(R"({"f:a":{".":{},"f:b":{".":{},"f:c":{}}},"f:d":{}})").Leaves().ToText(),
            R"({"f:a":{"f:b":{"f:c":{}}},"f:d":{}})");
}

TEST(FieldSet, HasIsOfThePathItself) {
  const FieldSet set = Read(R"({"f:a":{"f:b":{}},"f:c":{}})");
  const auto field = [](const char* name) { return PathElement::Field(name); };
  EXPECT_FALSE(set.Has({}));
  EXPECT_FALSE(set.Has({field("a")}));
  EXPECT_TRUE(set.Has({field("a"), field("b")}));
  EXPECT_TRUE(set.Has({field("c")}));
  EXPECT_FALSE(set.Has({field("c"), field("b")}));
  EXPECT_FALSE(set.Has({field("x")}));
  EXPECT_EQ(FieldSet({{field("c")}, {field("a"), field("b")}}), set);
}

}  // namespace
}  // namespace kinformer::apiserver
