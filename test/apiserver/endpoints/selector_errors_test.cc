#include "src/apiserver/endpoints/selector_errors.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace kinformer::apiserver {
namespace {

// Messages of kube-apiserver 1.36 for the same inputs.
TEST(SelectorErrors, ALabelSelectorIsRefusedInTheWordsOfARealServer) {
  const std::vector<std::pair<std::string, std::string>> refusals = {
      {"app in (web", "unable to parse requirement: found '', expected: ',' or ')'"},
      {"app in web)", "unable to parse requirement: found 'web' expected: '('"},
      {"=web", "found '=', expected: !, identifier, or 'end of string'"},
      {"app=web=x", "found '=', expected: ',' or 'end of string'"},
      {"a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
      {"size>x",
       "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an "
       "integer"},
      {"app in (web),", "found '', expected: identifier after ','"},
      {",app", "found ',', expected: !, identifier, or 'end of string'"},
      {"app=web,,tier", "found ',', expected: identifier after ','"},
      {"!", "unable to parse requirement: found '', expected: identifier"},
      {"app=" + std::string(64, 'x'), "unable to parse requirement: values[0][app]: Invalid value: \"" +
                                          std::string(64, 'x') + "\": must be no more than 63 bytes"},
  };
  for (const auto& [text, refusal] : refusals) EXPECT_EQ(WhyNoLabelSelector(text), refusal) << text;
}

TEST(SelectorErrors, NothingIsSaidOfALabelSelectorThatCanBeRead) {
  for (const char* text : {"", "app=web", "app in (web,db),!tier", "app in ()", "a,b==c,d!=e", "size>4", "in in (in)",
                           "app in (,a)", "app in (a,)", "tier="}) {
    EXPECT_EQ(WhyNoLabelSelector(text), "") << text;
  }
}

TEST(SelectorErrors, AFieldSelectorIsRefusedInTheWordsOfARealServer) {
  EXPECT_EQ(WhyNoFieldSelector("metadata.name"), "invalid selector: 'metadata.name'; can't understand 'metadata.name'");
  EXPECT_EQ(WhyNoFieldSelector("a=b,c"), "invalid selector: 'a=b,c'; can't understand 'c'");
  EXPECT_EQ(WhyNoFieldSelector("metadata.name=a=b"), "invalid field selector: unescaped character in value: 61");
  EXPECT_EQ(WhyNoFieldSelector("a=b\\x"), "invalid field selector: invalid escape sequence: \\x");
  for (const char* text : {"", ",", "a=b", "a==b", "a!=b,c=", "a=b\\,c", "a=b\\=c"}) {
    EXPECT_EQ(WhyNoFieldSelector(text), "") << text;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
