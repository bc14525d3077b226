#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include <kinformer/codec/object.h>

#include "src/codec/json_text.h"

namespace kinformer {
namespace {

ObjectPtr Sample() {
  return *Object::Parse(R"( {"metadata":{"name":"n"}, "spec" : { "a/b" : 1, "m~n":2, "" : 3, "arr":[ "x" , [10,20] ,
    {"deep":{"er":null}} ], "s":"tab\tquote\"\u00e9", "i":-42, "d":2.5, "e":1e3, "t":true, "f":false, "o":{}, "l":[],
    "\u006b":"escaped key", "brackets":"}]\\\"{", "last":"z" }, "n":18446744073709551615 } )");
}

TEST(ValueTest, APointerFindsMembersAndElements) {
  const ObjectPtr object = Sample();
  EXPECT_EQ(object->At("/metadata/name").StringOr(""), "n");
  EXPECT_EQ(object->At("/spec/arr/0").StringOr(""), "x");
  EXPECT_EQ(object->At("/spec/arr/1/1").IntOr(0), 20);
  EXPECT_TRUE(object->At("/spec/arr/2/deep/er").IsNull());
  EXPECT_EQ(object->At("/spec/last").StringOr(""), "z");
  EXPECT_EQ(object->At("/spec/brackets").StringOr(""), "}]\\\"{");
  EXPECT_EQ(object->At("").Raw(), object->Json());
}

TEST(ValueTest, TildeEscapesInAPointerAreResolved) {
  const ObjectPtr object = Sample();
  EXPECT_EQ(object->At("/spec/a~1b").IntOr(0), 1);
  EXPECT_EQ(object->At("/spec/m~0n").IntOr(0), 2);
  EXPECT_EQ(object->At("/spec/").IntOr(0), 3);
}

TEST(ValueTest, AKeyWithEscapesIsFoundByItsMeaning) {
  EXPECT_EQ(Sample()->At("/spec/k").StringOr(""), "escaped key");
  EXPECT_FALSE(Sample()->At("/spec/\\u006b").Exists());
}

TEST(ValueTest, WhatIsNotThereIsAbsent) {
  const ObjectPtr object = Sample();
  for (const char* const pointer : {"/nope", "/spec/nope", "/spec/arr/3", "/spec/arr/-", "/spec/arr/01", "/spec/arr/-1",
                                    "/spec/arr/x", "/spec/arr/", "/spec/arr/99999999999999999999", "/spec/s/0",
                                    "/spec/i/x", "spec", "/spec/m~n", "/spec/m~2n", "/spec/m~", "/", "/spec/arr/1 "}) {
    const Value value = object->At(pointer);
    EXPECT_FALSE(value.Exists()) << pointer;
    EXPECT_FALSE(value.IsNull()) << pointer;
    EXPECT_EQ(value.Raw(), "") << pointer;
    EXPECT_TRUE(value.ToJson().is_null()) << pointer;
    EXPECT_FALSE(value.At("/more").Exists()) << pointer;
  }
}

TEST(ValueTest, AccessorsGiveNothingForOtherTypes) {
  const ObjectPtr object = Sample();
  const Value text = object->At("/spec/s");
  EXPECT_EQ(text.AsString(), "tab\tquote\"\xC3\xA9");
  EXPECT_EQ(text.AsInt(), std::nullopt);
  EXPECT_EQ(text.AsDouble(), std::nullopt);
  EXPECT_EQ(text.AsBool(), std::nullopt);
  EXPECT_EQ(object->At("/spec/i").AsInt(), -42);
  EXPECT_EQ(object->At("/spec/i").AsDouble(), -42.0);
  EXPECT_EQ(object->At("/spec/i").AsString(), std::nullopt);
  EXPECT_EQ(object->At("/spec/i").StringOr("other"), "other");
  EXPECT_EQ(object->At("/spec/d").AsDouble(), 2.5);
  EXPECT_EQ(object->At("/spec/d").AsInt(), std::nullopt);
  EXPECT_EQ(object->At("/spec/e").AsDouble(), 1000.0);
  EXPECT_EQ(object->At("/n").AsInt(), std::nullopt);
  EXPECT_EQ(object->At("/spec/t").AsBool(), true);
  EXPECT_TRUE(object->At("/spec/t").BoolOr(false));
  EXPECT_EQ(object->At("/spec/f").AsBool(), false);
  EXPECT_EQ(object->At("/spec/o").AsBool(), std::nullopt);
  EXPECT_TRUE(object->At("/nope").BoolOr(true));
  EXPECT_EQ(object->At("/nope").IntOr(5), 5);
}

TEST(ValueTest, ElementsComeInOrder) {
  const ObjectPtr object = Sample();
  const auto elements = object->At("/spec/arr").Elements();
  ASSERT_EQ(elements.size(), 3U);
  EXPECT_EQ(elements[0].AsString(), "x");
  EXPECT_EQ(elements[1].Raw(), "[10,20]");
  EXPECT_TRUE(elements[2].At("/deep/er").IsNull());
  EXPECT_EQ(object->At("/spec/arr").Size(), 3U);
  EXPECT_TRUE(object->At("/spec/l").Elements().empty());
  EXPECT_TRUE(object->At("/spec").Elements().empty());
  EXPECT_TRUE(object->At("/spec/s").Elements().empty());
}

TEST(ValueTest, MembersComeInOrderAndOfEqualKeysOnlyTheLast) {
  const ObjectPtr object =
      *Object::Parse(R"({"metadata":{},"x":{"b":1,"a":2,"\u0062":3,"c":[4],"a":{"a":5}},"e":{ },"s":"{\"a\":1}"})");
  const auto members = object->At("/x").Members();
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[0].first, "b");
  EXPECT_EQ(members[0].second.AsInt(), 3);
  EXPECT_EQ(members[1].first, "c");
  EXPECT_EQ(members[2].first, "a");
  EXPECT_EQ(members[2].second.Raw(), "{\"a\":5}");
  EXPECT_EQ(object->At("/x").Size(), 3U);
  EXPECT_EQ(object->At("/e").Size(), 0U);
  EXPECT_TRUE(object->At("/s").Members().empty());
  EXPECT_EQ(object->At("/s").Size(), 0U);
}

/// Every value of the DOM is found by its JSON pointer and equals the DOM's value.
void ExpectEqualEverywhere(const Object& object, const nlohmann::json& dom) {
  const nlohmann::json leaves = dom.flatten();
  for (const auto& leaf : leaves.items()) {
    std::string at = leaf.key();
    for (;;) {
      EXPECT_EQ(object.At(at).ToJson(), dom.at(nlohmann::json::json_pointer(at))) << at;
      const std::size_t slash = at.rfind('/');
      if (slash == std::string::npos) break;
      at.resize(slash);
    }
  }
}

TEST(ValueTest, PointersAgreeWithTheDom) {
  const ObjectPtr object = Sample();
  ExpectEqualEverywhere(*object, object->ToJson());
}

TEST(ValueTest, PointersAgreeWithTheDomAtEveryAlignment) {
  for (std::size_t padding = 0; padding < 130; ++padding) {
    const std::string text = R"({"pad":")" + std::string(padding, 'p') +
                             R"(","metadata":{"name":"n\\"},"s":{"q":"\"}]\\","z":[[[{"a":"[\\\\"}]],"]"]},"t":1})";
    const auto object = Object::Parse(text);
    ASSERT_TRUE(object) << object.error().message;
    ExpectEqualEverywhere(**object, nlohmann::json::parse(text));
  }
}

TEST(JsonTextTest, ASnippetIsBoundedAndPrintable) {
  using internal::PrintableSnippet;
  EXPECT_EQ(PrintableSnippet("plain", 80), "plain");
  EXPECT_EQ(PrintableSnippet("  a\r\n\t b\x01"
                             "c  ",
                             80),
            "a b c");
  EXPECT_EQ(PrintableSnippet("x\x1B[31mred", 80), "x [31mred");
  EXPECT_EQ(PrintableSnippet("a\xFF"
                             "b",
                             80),
            "a?b");
  EXPECT_EQ(PrintableSnippet("a\xC2\x85"
                             "b",
                             80),
            "a b");
  EXPECT_EQ(PrintableSnippet("\xC3\xA9\xC3\xA9\xC3\xA9", 5), "\xC3\xA9\xC3\xA9...");
  EXPECT_EQ(PrintableSnippet("", 5), "");
}

}  // namespace
}  // namespace kinformer
