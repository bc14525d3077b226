#include "src/codec/json_fields.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "src/codec/json_text.h"

namespace kinformer::internal {
namespace {

using nlohmann::json;

TEST(JsonFieldsTest, WhatIsAbsentOrOfAnotherTypeReadsAsEmpty) {
  const json object = {{"text", "a"}, {"number", 7}, {"flag", true}, {"nothing", nullptr}};
  EXPECT_EQ(TextOf(object, "text"), "a");
  EXPECT_EQ(IntegerOf(object, "number"), 7);
  EXPECT_TRUE(FlagOf(object, "flag"));
  for (const char* name : {"number", "flag", "nothing", "absent"}) EXPECT_EQ(TextOf(object, name), "") << name;
  for (const char* name : {"text", "flag", "nothing", "absent"})
    EXPECT_EQ(IntegerOf(object, name), std::nullopt) << name;
  for (const char* name : {"text", "number", "nothing", "absent"}) EXPECT_FALSE(FlagOf(object, name)) << name;
  for (const json& other : {json(), json("text"), json::array({"text"}), json(1)}) {
    EXPECT_TRUE(FieldOf(other, "text").is_null());
    EXPECT_EQ(TextOf(other, "text"), "");
    EXPECT_FALSE(FlagOf(other, "text"));
  }
}

TEST(JsonFieldsTest, InvalidUtf8IsReplacedInTheText) {
  EXPECT_EQ(JsonText({{"a", "\xFF"}}), "{\"a\":\"\xEF\xBF\xBD\"}");
}

TEST(JsonTextTest, APointerTokenIsEscaped) {
  std::string pointer = "/metadata";
  AppendPointerToken("a.io/b~c", pointer);
  AppendPointerToken("", pointer);
  EXPECT_EQ(pointer, "/metadata/a.io~1b~0c/");
}

}  // namespace
}  // namespace kinformer::internal
