// Every byte is validated: the fast walk, the slow explainer and nlohmann (which decodes objects for users) must agree
// on what is valid JSON.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <kinformer/codec/object.h>

#include "src/codec/json_explain.h"
#include "src/codec/json_text.h"
#include "src/codec/json_walker.h"

namespace kinformer::internal {
namespace {

using std::string_literals::operator""s;

const std::vector<std::string>& GoodValues() {
  static const std::vector<std::string> values = {
      "null",
      "true",
      "false",
      "0",
      "-0",
      "1",
      "-1",
      "10",
      "1234567890",
      "0.0",
      "0.5",
      "-0.5",
      "1.25",
      "1e1",
      "1E1",
      "1e+1",
      "1e-1",
      "1.5e10",
      "-1.5E-10",
      "1e308",
      "1e-400",
      "0e999",
      "0.0e+999",
      "9223372036854775807",
      "-9223372036854775808",
      "18446744073709551615",
      "18446744073709551616",
      "123456789012345678901234567890",
      "0.00000000000000000000000000000000000000001",
      "1.7976931348623157e308",
      "\"\"",
      "\"a\"",
      "\"abc def\"",
      "\"\\\"\"",
      "\"\\\\\"",
      "\"\\/\"",
      "\"\\b\\f\\n\\r\\t\"",
      "\"\\u0041\"",
      "\"\\u00e9\"",
      "\"\\u20AC\"",
      "\"\\uD83D\\uDE00\"",
      "\"\\ud83d\\ude00x\"",
      "\"\\u0000\"",
      "\"\\uFFFF\"",
      "\"\\uE000\"",
      "\"\xC3\xA9\"",
      "\"\xE2\x82\xAC\"",
      "\"\xF0\x9F\x98\x80\"",
      "\"\xEF\xBF\xBF\"",
      "\"\xF4\x8F\xBF\xBF\"",
      "\"\x7F\"",
      "\"{}[],:\"",
      "\"\\\\\\\"\"",
      "\"\\\\\\\\\"",
      "\"a\\\\\"",
      "[]",
      "[ ]",
      "[1]",
      "[1,2,3]",
      "[1 , 2]",
      "[[]]",
      "[[],[]]",
      "[[1],[2]]",
      "[{}]",
      "[\"a\",true,false,null,1.5]",
      "{}",
      "{ }",
      "{\"a\":1}",
      "{\"a\" : 1}",
      "{\"a\":1,\"b\":2}",
      "{\"a\":{}}",
      "{\"a\":[]}",
      "{\"a\":{\"b\":{\"c\":[1,{\"d\":null}]}}}",
      "{\"\":0}",
      "{\"a\":1,\"a\":2}",
      "{\"\\u0061\":1}",
      " 1",
      "1 ",
      "\t\r\n 1 \t\r\n",
      "[\n1\n,\n2\n]",
      "{\n\"a\"\n:\n1\n}",
      "{\"a\":\"}\"}",
      "{\"a\":\"]\",\"b\":\"\\\"}\"}",
      "[true]",
      "[false]",
      "[null]",
      "[-1]",
      "[\"\"]",
      "[1e5]",
      "[0,0.1,-0.1]",
      "\"" + std::string(300, 'x') + "\"",
      "[" + std::string(200, ' ') + "]",
      std::string(309, '1'),
      "\"" + std::string(63, 'a') + "\\n" + std::string(63, 'b') + "\"",
  };
  return values;
}

const std::vector<std::string>& BadValues() {
  static const std::vector<std::string> values = {
      "",
      " ",
      "\n",
      "tru",
      "True",
      "TRUE",
      "truee",
      "true1",
      "true\"",
      "fals",
      "falsee",
      "nul",
      "nulll",
      "Null",
      "none",
      "undefined",
      "NaN",
      "Infinity",
      "-Infinity",
      "-",
      "+1",
      "01",
      "-01",
      "00",
      "1.",
      ".5",
      "-.5",
      "1.e1",
      "1e",
      "1e+",
      "1e-",
      "1E",
      "1.5e",
      "1e1.5",
      "0x10",
      "1_000",
      "1,2",
      "1 2",
      "1a",
      "1\"",
      "--1",
      "1-",
      "1e999",
      "-1e999",
      "1e400",
      "123456789e400",
      "1e99999999999999999999",
      std::string(310, '1'),
      "\"",
      "\"a",
      "a\"",
      "\"a\"b",
      "\"a\"\"b\"",
      "\"\\\"",
      "\"\\",
      "\"\\x41\"",
      "\"\\a\"",
      "\"\\'\"",
      "\"\\0\"",
      "\"\\u\"",
      "\"\\u1\"",
      "\"\\u12\"",
      "\"\\u123\"",
      "\"\\u123g\"",
      "\"\\uXYZW\"",
      "\"\\U0041\"",
      "\"\\ud800\"",
      "\"\\ud800x\"",
      "\"\\ud800\\n\"",
      "\"\\ud800\\u0041\"",
      "\"\\ud800\\ud800\"",
      "\"\\udc00\"",
      "\"\\udfff\\ud800\"",
      "\"\n\"",
      "\"\t\"",
      "\"\r\"",
      "\"\x01\"",
      "\"\x1F\"",
      "\"\0\""s,
      "\"\x80\"",
      "\"\xBF\"",
      "\"\xC0\x80\"",
      "\"\xC1\xBF\"",
      "\"\xC3\"",
      "\"\xC3(\"",
      "\"\xE0\x80\x80\"",
      "\"\xE0\x9F\xBF\"",
      "\"\xE2\x82\"",
      "\"\xED\xA0\x80\"",
      "\"\xED\xBF\xBF\"",
      "\"\xF0\x80\x80\x80\"",
      "\"\xF0\x9F\x98\"",
      "\"\xF4\x90\x80\x80\"",
      "\"\xF5\x80\x80\x80\"",
      "\"\xFE\"",
      "\"\xFF\"",
      "\xC3\xA9",
      "\xFF",
      "'a'",
      "[",
      "]",
      "[1",
      "[1,",
      "[1,]",
      "[,1]",
      "[,]",
      "[1,,2]",
      "[1,,}",
      "[1 2]",
      "[1}",
      "[1:2]",
      "[\"a\":1]",
      "[[]",
      "[]]",
      "[tru]",
      "[1,tru]",
      "[\"a]",
      "[\"\\\"]",
      "[1]]",
      "[}",
      "{",
      "}",
      "{\"a\"",
      "{\"a\":",
      "{\"a\":1",
      "{\"a\":1,",
      "{\"a\":1,}",
      "{,}",
      "{,\"a\":1}",
      "{\"a\" 1}",
      "{\"a\" 1 2 3}",
      "{\"a\"::1}",
      "{\"a\":1 \"b\":2}",
      "{\"a\":1,,\"b\":2}",
      "{\"a\":1]",
      "{1:2}",
      "{a:1}",
      "{'a':1}",
      "{true:1}",
      "{null:1}",
      "{[]:1}",
      "{\"a\",\"b\"}",
      "{\"a\"}",
      "{\"a\":}",
      "{\"a\":tru}",
      "{\"a\":b}",
      "{\"a\":\"b}",
      "{\"a\\x\":1}",
      "{]",
      "{\"a\":{}",
      "{\"a\":{\"b\":[1,2}}",
      "{\"a\":[{]}",
      "{}{}",
      "{} {}",
      "[][]",
      "{}x",
      "{},",
      "1}",
      "1]",
      "1,",
      ",",
      ":",
      "\\",
      "\\\"a\"",
      "1\\",
      "[1\\n]",
      "\\u0031",
      "/",
      "// comment\n1",
      "1 // comment",
      "/* */ 1",
      "#",
      "{\"a\":1}\x01",
      "[1]\x0B",
      "\f1",
      "\xC2\xA0"
      "1",
      "\0"s,
      "1\x02",
      "[\0]"s,
      "{\"a\":\0}"s,
      "\"abc\\ud83d\\ude0\"",
      "[1.]",
      "[01]",
      "[-]",
      "[1e]",
      "[.1]",
      "{\"a\":01}",
      "{\"a\":-}",
      "{\"a\":1.}",
      "\"" + std::string(100, 'x'),
      std::string(100, '['),
      "[" + std::string(100, '1') + ".]",
      "\"" + std::string(62, 'a') + "\\q\"",
      "\"" + std::string(63, 'a') + "\x02\"",
  };
  return values;
}

std::vector<std::string> Wrapped(const std::string& value) {
  return {
      value,
      "[" + value + "]",
      "[1," + value + ",2]",
      "{\"a\":" + value + "}",
      "{\"a\":[{\"b\":" + value + "}],\"c\":\"d\"}",
      "{\n  \"a\" : [ " + value + " ]\n}",
      "{\"padding\":\"" + std::string(120, 'p') + "\",\"a\":" + value + ",\"z\":[" + std::string(70, ' ') + "]}",
  };
}

void ExpectAgreement(const std::string& text) {
  const bool accepted = IsValidJson(text);
  const auto fault = ExplainJson(text);
  EXPECT_EQ(accepted, !fault) << "the walk and the explainer differ on: " << text;
  if (fault) {
    EXPECT_LE(fault->offset, text.size()) << text;
    EXPECT_FALSE(fault->what.empty()) << text;
  }
  // nlohmann accepts a zero byte outside strings as the end of the text; our reader does not.
  const bool oracle = nlohmann::json::accept(text);
  if (text.find('\0') == std::string::npos) {
    EXPECT_EQ(accepted, oracle) << text;
  } else {
    EXPECT_FALSE(accepted) << text;
  }
}

TEST(JsonValidationTest, GoodValuesAreAcceptedWhereverTheyStand) {
  for (const std::string& value : GoodValues()) {
    EXPECT_TRUE(IsValidJson(value)) << value;
    for (const std::string& text : Wrapped(value)) ExpectAgreement(text);
  }
}

TEST(JsonValidationTest, BadValuesAreRefusedWhereverTheyStand) {
  for (const std::string& value : BadValues()) {
    EXPECT_FALSE(IsValidJson(value)) << value;
    for (const std::string& text : Wrapped(value)) ExpectAgreement(text);
  }
}

TEST(JsonValidationTest, EveryTruncationAgreesWithTheOracle) {
  const std::string text =
      "{\"a\":[1,-2.5e+3,true,false,null,\"x\\u00e9\\ud83d\\ude00\xC3\xA9\"],\"b\":{\"c\":{},\"d\":[]}} ";
  for (std::size_t size = 0; size <= text.size(); ++size) ExpectAgreement(text.substr(0, size));
}

TEST(JsonValidationTest, EveryChangedByteAgreesWithTheOracle) {
  const std::string text = "{\"a\":[1,-2.5e+3,true,null,\"x\\u00e9\xC3\xA9\"],\"b\":{\"c\":{},\"d\":[]}}";
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int byte = 1; byte < 256; ++byte) {
      std::string changed = text;
      changed[at] = static_cast<char>(byte);
      ExpectAgreement(changed);
    }
  }
}

TEST(JsonValidationTest, PartsThatNobodyReadsAreValidatedToo) {
  for (const char* const spec : {R"({"a":tru})", R"({"a" 1 2 3})", "[1,,}", R"({"a":"\x"})", "{\"a\":\"\xFF\"}",
                                 "{\"a\":\"\x01\"}", R"({"a":01})", R"({"a":"\ud800"})", "{]"}) {
    const std::string text = R"({"kind":"Pod","metadata":{"name":"a"},"spec":)" + std::string(spec) + "}";
    const auto object = Object::Parse(text);
    ASSERT_FALSE(object) << text;
    EXPECT_EQ(object.error().code, ErrorCode::kMalformed);
    EXPECT_NE(object.error().message.find("/spec"), std::string::npos) << object.error().message;
  }
}

TEST(JsonValidationTest, LoneSurrogatesAreRefused) {
  const auto object = Object::Parse(R"({"metadata":{"name":"a"},"x":"\ud800"})");
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().message, "not a valid escape sequence at byte 30 (/x)");
}

TEST(JsonValidationTest, NestingUpToTheBoundIsAcceptedAndNoDeeper) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(IsValidJson(nested(kMaxJsonDepth)));
  EXPECT_FALSE(IsValidJson(nested(kMaxJsonDepth + 1)));
  EXPECT_FALSE(ExplainJson(nested(kMaxJsonDepth)));
  const auto fault = ExplainJson(nested(kMaxJsonDepth + 1));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->what, "nested deeper than 512 levels");
  EXPECT_EQ(fault->offset, kMaxJsonDepth);
  EXPECT_FALSE(IsValidJson(nested(1000000)));

  std::string objects;
  for (std::size_t i = 0; i < kMaxJsonDepth; ++i) objects += "{\"a\":";
  EXPECT_TRUE(IsValidJson(objects + "1" + std::string(kMaxJsonDepth, '}')));
  EXPECT_FALSE(IsValidJson("[" + objects + "1" + std::string(kMaxJsonDepth, '}') + "]"));
}

TEST(JsonValidationTest, AnObjectOfTheGreatestDepthBecomesADomAndText) {
  const std::size_t inner = kMaxJsonDepth - 1;
  const std::string text = R"({"metadata":{"name":"a"},"x":)" + std::string(inner, '[') + std::string(inner, ']') + "}";
  const auto object = Object::Parse(text);
  ASSERT_TRUE(object) << object.error().message;
  const nlohmann::json copy = (*object)->ToJson();
  EXPECT_EQ(nlohmann::json::parse(copy.dump()), copy);
  const auto deeper = Object::Parse(R"({"metadata":{"name":"a"},"x":)" + std::string(inner + 1, '[') +
                                    std::string(inner + 1, ']') + "}");
  ASSERT_FALSE(deeper);
  EXPECT_NE(deeper.error().message.find("nested deeper"), std::string::npos);
}

TEST(JsonValidationTest, AFaultSaysWhereByByteAndPath) {
  const auto fault = ExplainJson(R"({"a":[1,{"b/c":[true,tru]}]})");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->offset, 21U);
  EXPECT_EQ(fault->path, "/a/1/b~1c/1");
  EXPECT_EQ(MalformedAt(*fault, 100).message, "expected a value at byte 121 (/a/1/b~1c/1)");
}

TEST(JsonValidationTest, APathInAnErrorIsBoundedAndPrintable) {
  const auto fault = ExplainJson("{\"" + std::string(100000, 'k') + "\\u0007\":[tru]}");
  ASSERT_TRUE(fault);
  EXPECT_LT(fault->path.size(), 300U);
  const auto control = ExplainJson(R"({"a\u0007b":tru})");
  ASSERT_TRUE(control);
  EXPECT_EQ(control->path, "/a b");
}

TEST(JsonValidationTest, TextsLargerThanTheKeptBuffersAreRead) {
  std::string text = "[";
  while (text.size() < (3U << 20U)) text += "{\"key\":\"value \xE2\x82\xAC\",\"n\":[1,2,3]},";
  text += "null]";
  EXPECT_TRUE(IsValidJson(text));
  text[text.size() - 2] = 'x';
  EXPECT_FALSE(IsValidJson(text));
  EXPECT_TRUE(IsValidJson("[1]"));
}

}  // namespace
}  // namespace kinformer::internal
