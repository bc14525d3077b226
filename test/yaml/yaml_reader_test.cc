#include "src/yaml/yaml_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

TEST(YamlReader, ReadsWhatKubectlSends) {
  const Result<json> read = ReadYaml(R"(apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: "web", "n": '1'}
spec:
  replicas: 3
  paused: false
  template:
    spec:
      containers:
      - name: web
        image: nginx:1.25
        args: ["-x", '-y']
        command:
        - |
          two
          lines
        ports:
        - containerPort: 80
)");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, json::parse(R"({"apiVersion":"apps/v1","kind":"Deployment",
    "metadata":{"name":"web","labels":{"app":"web","n":"1"}},
    "spec":{"replicas":3,"paused":false,"template":{"spec":{"containers":[
      {"name":"web","image":"nginx:1.25","args":["-x","-y"],"command":["two\nlines\n"],"ports":[{"containerPort":80}]}]}}}})"));
}

TEST(YamlReader, AScalarWithoutQuotesIsWhatAServerTakesItFor) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "null"},
      {"~", "null"},
      {"null", "null"},
      {"Null", "null"},
      {"nULL", R"("nULL")"},
      {"true", "true"},
      {"True", "true"},
      {"yes", "true"},
      {"On", "true"},
      {"y", "true"},
      {"tRUE", R"("tRUE")"},
      {"off", "false"},
      {"N", "false"},
      {"no", "false"},
      {"nope", R"("nope")"},
      {"0", "0"},
      {"12", "12"},
      {"-12", "-12"},
      {"+12", "12"},
      {"010", "8"},
      {"0o17", "15"},
      {"08", "8.0"},
      {"0x1F", "31"},
      {"0b101", "5"},
      {"-0b101", "-5"},
      {"1_000", "1000"},
      {"1.5", "1.5"},
      {".5", "0.5"},
      {"1.", "1.0"},
      {"1e3", "1000.0"},
      {"-1.5e-3", "-0.0015"},
      {"1.2.3", R"("1.2.3")"},
      {"1Gi", R"("1Gi")"},
      {"100m", R"("100m")"},
      {"-", R"("-")"},
      {"12e", R"("12e")"},
      {"0x", R"("0x")"},
      {"1:30", R"("1:30")"},
      {"2001-01-01", R"("2001-01-01")"},
      {"9223372036854775807", "9223372036854775807"},
      {"18446744073709551615", "18446744073709551615"},
      {"2001-01-01T10:00:00Z", R"("2001-01-01T10:00:00Z")"},
      {R"("12")", R"("12")"},
      {R"('yes')", R"("yes")"},
      {"!!str 12", R"("12")"},
  };
  for (const auto& [text, value] : cases) {
    if (std::string_view(text) == "-") continue;  // a list
    const Result<json> read = ReadYaml("a: " + std::string(text) + "\n");
    ASSERT_TRUE(read) << text << " " << read.error().message;
    EXPECT_EQ(read->at("a"), json::parse(value)) << text;
    EXPECT_EQ(read->at("a").is_string(), json::parse(value).is_string()) << text;
  }
}

TEST(YamlReader, KeysAreTexts) {
  const Result<json> read = ReadYaml("1: a\ntrue: b\n1.5: c\nx: d\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, json::parse(R"({"1":"a","true":"b","1.5":"c","x":"d"})"));
}

TEST(YamlReader, AliasesAndMergedMapsAreFollowed) {
  const Result<json> read = ReadYaml("a: &x {p: 1, m: 2}\nb: *x\nc:\n  <<: *x\n  p: 3\nd:\n  <<: [*x, {k: 4}]\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, json::parse(R"({"a":{"p":1,"m":2},"b":{"p":1,"m":2},"c":{"p":3,"m":2},"d":{"p":1,"m":2,"k":4}})"));
}

TEST(YamlReader, OnlyTheFirstDocumentCounts) {
  const Result<json> read = ReadYaml("---\na: 1\n---\nb: 2\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, json::parse(R"({"a":1})"));
  EXPECT_TRUE(ReadYaml("")->is_null());
}

TEST(YamlReader, DocumentsEndAtMarkersOnly) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "[]"},
      {"# nothing\n---\n---\n# more\n", "[]"},
      {"a: 1\n---\nb: 2\n", R"([{"a":1},{"b":2}])"},
      {"---\na: 1\n---\n---\nb: 2\n---\n", R"([{"a":1},{"b":2}])"},
      {"a: 1\r\n---\r\nb: 2\r\n", R"([{"a":1},{"b":2}])"},
      {"--- {a: 1}\n---\t{b: 2}\n--- # c\nc: 3\n", R"([{"a":1},{"b":2},{"c":3}])"},
      {"a: 1\n...\n---\nb: 2\n", R"([{"a":1},{"b":2}])"},
      {"a: |\n  ---\n  x\n  ---\nb: 2\n", R"([{"a":"---\nx\n---\n","b":2}])"},
      {"a: \"x\n ---\n y\"\n---\nb: 2\n", R"([{"a":"x --- y"},{"b":2}])"},
      {"a: 'x\n  --- y'\n", R"([{"a":"x --- y"}])"},
      {"----\n", R"(["----"])"},
      {"----: 1\n---\n---x: 2\n", R"([{"----":1},{"---x":2}])"},
      {"- a\n- ---\n", R"([["a","---"]])"},
  };
  for (const auto& [text, values] : cases) {
    const Result<std::vector<json>> read = ReadYamlDocuments(text);
    ASSERT_TRUE(read) << text << " " << read.error().message;
    EXPECT_EQ(json(*read), json::parse(values)) << text;
  }
}

TEST(YamlReader, ATokenThatBeginsNoDocumentIsAnError) {
  for (const char* text : {",", ",- #>\n,%", "a: 1\n---\n,\n"}) {
    const Result<std::vector<json>> read = ReadYamlDocuments(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kMalformed) << text;
  }
  EXPECT_EQ(ReadYamlDocuments("a: 1\n---\n,\n").error().message, "yaml: line 3: did not find expected document start");
}

TEST(YamlReader, AnErrorInALaterDocumentNamesItsLineOfTheText) {
  const Result<std::vector<json>> read = ReadYamlDocuments("a: 1\n---\nb: 2\nb: 3\n");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, R"(yaml: line 4: key "b" already set in map)");
}

TEST(YamlReader, TheLimitsApplyToEachDocumentAndSixteenfoldToAllTogether) {
  const YamlReadLimits limits{.nodes = 100};
  const auto repeated = [](int count, const std::string& document) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "--- " + document + "\n";
    return text;
  };
  const Result<std::vector<json>> read = ReadYamlDocuments(repeated(500, "[x, x]"), limits);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->size(), 500U);
  EXPECT_EQ(ReadYamlDocuments(repeated(600, "[x, x]"), limits).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(ReadYamlDocuments(repeated(1700, "x"), limits).error().code, ErrorCode::kTooLarge);
  std::string list = "[x";
  for (int i = 0; i < 100; ++i) list += ", x";
  EXPECT_EQ(ReadYamlDocuments(repeated(1, list + "]"), limits).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(ReadYamlDocuments("--- [x]\n--- [[[[x]]]]\n", {.depth = 3}).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(ReadYamlDocuments("--- &a [x]\n--- *a\n").error().code, ErrorCode::kMalformed)
      << "anchors are of one document";
}

TEST(YamlReader, WhatIsWrongIsSaidWithItsLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"a: 1\nb: 2\na: 3\n", R"(yaml: line 3: key "a" already set in map)"},
      {"a: .inf\n", "yaml: line 1: json: unsupported value: .inf"},
      {"a: .nan\n", "yaml: line 1: json: unsupported value: .nan"},
      {"? [x]\n: 1\n", "yaml: line 1: invalid map key"},
      {"a:\n  <<: 1\n", "yaml: line 2: map merge requires map or sequence of maps as the value"},
      {"a: &x [*x]\n", "yaml: line 1: anchor contains itself"},
  };
  for (const auto& [text, message] : cases) {
    const Result<json> read = ReadYaml(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message, message) << text;
  }
  for (const char* text : {"a: [", "a: b: c", "\ta: 1", "a: *unknown", "{", "a: \"x"})
    EXPECT_FALSE(ReadYaml(text)) << text;
}

TEST(YamlReader, ABombOfAliasesIsRefused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += (j > 0 ? ", " : "") + before;
    text += "]\n";
  }
  const Result<json> read = ReadYaml(text);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kTooLarge);

  std::string long_text = "a: &a \"" + std::string(1 << 20, 'x') + "\"\nb: [";
  for (int i = 0; i < 100; ++i) long_text += "*a, ";
  EXPECT_EQ(ReadYaml(long_text + "1]\n").error().code, ErrorCode::kTooLarge);
}

TEST(YamlReader, DeepNestingIsRefusedAlsoWhereAliasesMakeIt) {
  EXPECT_FALSE(ReadYaml(std::string(100'000, '[')));
  EXPECT_FALSE(ReadYaml(std::string(300, '[') + std::string(300, ']')));
  std::string chain = "a0: &a0 [1]\n";
  for (int i = 1; i < 400; ++i) {
    chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_FALSE(ReadYaml(chain));
}

TEST(YamlReader, TextThatIsNotUtf8IsRefused) {
  for (const char* text : {"a: 1\xd9\n", "\xff: a\n", "b: \"\xc0\xaf\"\n", "c: |\n  \xed\xa0\x80\n"}) {
    const Result<json> read = ReadYaml(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find("invalid UTF-8"), std::string::npos) << read.error().message;
  }
  const Result<json> good = ReadYaml("a: \xc3\xa4\nb: \"\\xe4\\u00e4\"\n");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(*good, json::parse(R"({"a":"ä","b":"ää"})"));
}

TEST(YamlReader, AKeyThatIsANumberIsItsText) {
  const Result<json> read = ReadYaml("1: a\n2.0: b\n1e300: c\n-1e300: d\n0.5: e\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->value("1", ""), "a");
  EXPECT_EQ(read->value("2", ""), "b");
  EXPECT_EQ(read->value("1e+300", ""), "c");
  EXPECT_EQ(read->value("-1e+300", ""), "d");
  EXPECT_EQ(read->value("0.5", ""), "e");
}

}  // namespace
}  // namespace kinformer::apiserver
