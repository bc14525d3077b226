#include "src/yaml/yaml_tree.h"

#include <gtest/gtest.h>

#include <string>

namespace kinformer::internal {
namespace {

using Kind = YamlNode::Kind;

YamlNodePtr Parse(std::string_view text) {
  auto root = ParseYaml(text);
  EXPECT_TRUE(root.ok()) << root.error().message;
  return root ? *root : nullptr;
}

std::string ErrorOf(std::string_view text, const YamlLimits& limits = {}) {
  const auto root = ParseYaml(text, limits);
  EXPECT_FALSE(root.ok()) << text.substr(0, 60);
  return root ? "" : root.error().message;
}

TEST(YamlTreeTest, ScalarsHaveTheTypesOfYaml) {
  const auto root = Parse(
      "{a: text, b: 'true', c: true, d: off, e: 12, f: 0x1F, g: 1.5e3, h: ~, i: '', j: 1.2.3, k: .inf, l: !!str 5}");
  ASSERT_TRUE(root);
  const auto kind = [&](std::string_view key) {
    const YamlNode* const node = root->Find(key);
    return node == nullptr ? Kind::kNull : node->kind;
  };
  EXPECT_EQ(kind("a"), Kind::kString);
  EXPECT_EQ(kind("b"), Kind::kString);
  EXPECT_EQ(kind("c"), Kind::kBool);
  EXPECT_TRUE(root->Find("c")->truth);
  EXPECT_EQ(kind("d"), Kind::kBool);
  EXPECT_FALSE(root->Find("d")->truth);
  EXPECT_EQ(kind("e"), Kind::kInteger);
  EXPECT_EQ(kind("f"), Kind::kInteger);
  EXPECT_EQ(kind("g"), Kind::kFloat);
  EXPECT_EQ(kind("h"), Kind::kNull);
  EXPECT_EQ(kind("i"), Kind::kString);
  EXPECT_EQ(kind("j"), Kind::kString);
  EXPECT_EQ(kind("k"), Kind::kFloat);
  EXPECT_EQ(kind("l"), Kind::kString);
}

TEST(YamlTreeTest, JsonIsYaml) {
  const auto root = Parse("{\n\t\"a\": [1, {\"b\": \"c\"}]\n}");
  ASSERT_TRUE(root);
  EXPECT_EQ(*ToJson(*root, 1000), R"({"a":[1,{"b":"c"}]})");
}

TEST(YamlTreeTest, AnEmptyDocumentIsNothing) {
  EXPECT_EQ(Parse(""), nullptr);
  EXPECT_EQ(Parse("# only a comment\n---\n"), nullptr);
}

TEST(YamlTreeTest, AliasesAndMergesAreFollowed) {
  const auto root = Parse("base: &b {x: 1, y: 2}\nmine:\n  <<: *b\n  y: 3\nsame: *b\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(*ToJson(*root->Find("mine"), 100), R"({"y":3,"x":1})");
  EXPECT_EQ(root->Find("same"), root->Find("base"));
}

TEST(YamlTreeTest, ErrorsSayLineAndColumnAndQuoteNothing) {
  EXPECT_EQ(ErrorOf("a: 1\na: 2\n"), "line 2, column 1: duplicate key");
  EXPECT_NE(ErrorOf("a: [1, 2\nb: 3").find("line "), std::string::npos);
  EXPECT_EQ(ErrorOf("password: *hunter2\n").find("hunter2"), std::string::npos);
  EXPECT_EQ(ErrorOf("password: \"hunter2\\q\"\n").find("hunter2"), std::string::npos);
  EXPECT_NE(ErrorOf("a: 1\n---\nb: 2\n").find("line 3, column 1: a second YAML document"), std::string::npos);
  EXPECT_NE(ErrorOf("? [a]\n: b\n").find("as the key of a map"), std::string::npos);
}

TEST(YamlTreeTest, ATabAsIndentationIsNamed) {
  EXPECT_NE(ErrorOf("clusters:\n\t- name: a\n").find("indented with a tab"), std::string::npos);
}

TEST(YamlTreeTest, DeepNestingIsRefusedInEveryForm) {
  const auto repeat = [](std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  for (const std::string& text :
       {repeat("[", 100000), repeat("{a: ", 100000), repeat("- ", 100000), repeat("? ", 100000)}) {
    EXPECT_FALSE(ParseYaml(text).ok()) << text.substr(0, 4);
  }
  EXPECT_NE(ErrorOf(repeat("[", 65) + repeat("]", 65)).find("nested deeper than 64"), std::string::npos);
  EXPECT_TRUE(ParseYaml(repeat("[", 64) + repeat("]", 64)).ok());
}

TEST(YamlTreeTest, AChainOfAliasesCountsAsNesting) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 1000; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_NE(ErrorOf(text).find("nested deeper"), std::string::npos);
}

TEST(YamlTreeTest, ABombOfAliasesIsNeitherExpandedNorWritten) {
  std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int k = 1; k < 10; ++k) text += "," + alias;
    text += "]\n";
  }
  const auto root = Parse(text);
  ASSERT_TRUE(root);
  const auto json = ToJson(*root, 10000);
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().code, ErrorCode::kTooLarge);
}

TEST(YamlTreeTest, AnAliasInsideOfItselfIsRefused) {
  EXPECT_NE(ErrorOf("a: &x [*x]\n").find("inside of what it refers to"), std::string::npos);
}

TEST(YamlTreeTest, SizeAndCountAreBounded) {
  EXPECT_NE(ErrorOf("a: bcdefgh", {.bytes = 5}).find("larger than 5 bytes"), std::string::npos);
  EXPECT_NE(ErrorOf("[1,2,3,4,5]", {.nodes = 4}).find("more than 4 values"), std::string::npos);
}

}  // namespace
}  // namespace kinformer::internal
