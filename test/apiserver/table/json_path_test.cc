#include "src/apiserver/table/json_path.h"

#include <string>

#include <gtest/gtest.h>

namespace kinformer::apiserver {
namespace {

std::string First(std::string_view path) {
  static const ObjectPtr object = Object::Parse(R"({"metadata":{"name":"x","labels":{"app.kubernetes.io/name":"web"}},
      "spec":{"a b":1,"list":[{"n":1,"s":"one"},{"n":2,"s":"two","ok":true},{"n":3}],"~/":"odd","0":"zero"}})")
                                      .value();
  const Result<JsonPath> parsed = JsonPath::Parse(path);
  if (!parsed) return "error";
  return std::string(parsed->First(*object).Raw());
}

TEST(JsonPath, FieldsAreFoundByName) {
  EXPECT_EQ(First(".metadata.name"), "\"x\"");
  EXPECT_EQ(First("$.metadata.name"), "\"x\"");
  EXPECT_EQ(First("{.metadata.name}"), "\"x\"");
  EXPECT_EQ(First(R"(.metadata.labels.app\.kubernetes\.io/name)"), "\"web\"");
  EXPECT_EQ(First(R"(.metadata.labels['app\.kubernetes\.io/name'])"), "\"web\"");
  EXPECT_EQ(First(".spec['a b']"), "1");
  EXPECT_EQ(First(".spec[\"~/\"]"), "\"odd\"");
  EXPECT_EQ(First(".metadata.none.deeper"), "");
  EXPECT_EQ(First(".metadata.name.deeper"), "");
  EXPECT_EQ(First(".spec.list.0"), "");
}

TEST(JsonPath, ElementsAreFoundByPlace) {
  EXPECT_EQ(First(".spec.list[1].s"), "\"two\"");
  EXPECT_EQ(First(".spec.list[-1].n"), "3");
  EXPECT_EQ(First(".spec.list[*].ok"), "true");
  EXPECT_EQ(First(".spec.list[3]"), "");
  EXPECT_EQ(First(".spec.list[-4]"), "");
  EXPECT_EQ(First(".metadata[0]"), "");
  EXPECT_EQ(First(".metadata.labels[*]"), "\"web\"");
}

TEST(JsonPath, ElementsAreFoundByWhatTheyHave) {
  EXPECT_EQ(First(".spec.list[?(@.s==\"two\")].n"), "2");
  EXPECT_EQ(First(".spec.list[?(@.s=='two')].n"), "2");
  EXPECT_EQ(First(".spec.list[?( @.s != 'one' )].n"), "2");
  EXPECT_EQ(First(".spec.list[?(@.n>1)].n"), "2");
  EXPECT_EQ(First(".spec.list[?(@.n>=3)].n"), "3");
  EXPECT_EQ(First(".spec.list[?(@.n<2)].s"), "\"one\"");
  EXPECT_EQ(First(".spec.list[?(@.n<=0)].s"), "");
  EXPECT_EQ(First(".spec.list[?(@.ok==true)].n"), "2");
  EXPECT_EQ(First(".spec.list[?(@.ok)].n"), "2");
  EXPECT_EQ(First(".spec.list[?(@.n==\"1\")].n"), "");
}

TEST(JsonPath, WhatIsNoneIsRefusedWithTheReason) {
  for (const char* bad : {"spec", ".spec[", ".spec[x]", ".spec['a", ".a..b", ".a[?(@.b)", ".a[?@.b]", ".a[?(b==1)]",
                          ".a[?(@.b =1)]", ".a[?(@.b==x)]", ".a[0:2]", ".a[1"}) {
    const Result<JsonPath> parsed = JsonPath::Parse(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_NE(parsed.error().message.find("is not a valid column JSONPath: "), std::string::npos);
  }
  std::string endless;
  for (int i = 0; i < 1000; ++i) endless += ".a";
  EXPECT_FALSE(JsonPath::Parse(endless));
}

}  // namespace
}  // namespace kinformer::apiserver
