#include "bench/kinformer_load/event_log.h"

#include <gmock/gmock.h>

namespace kinformer::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Line(const std::string& type, const std::string& name, int version, const std::string& value = "x") {
  return R"({"type":")" + type + R"(","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name +
         R"(","namespace":"n","uid":"u","resourceVersion":")" + std::to_string(version) + R"("},"data":{"name":")" +
         value + R"("}}})";
}
std::string Created(std::size_t number, int version) { return Line("ADDED", CreatedName(number), version); }

std::string Refused(EventLog& log, const std::string& line, std::size_t place) {
  const auto checked = log.Check(line, place);
  return checked ? "taken" : checked.error().message;
}

TEST(EventLog, TheFirstWatcherSetsTheOrderThatOthersMustFollow) {
  EventLog log(3);
  EXPECT_EQ(log.Check(Created(2, 11), 0).value(), EventLog::Kind::kCreation);
  EXPECT_EQ(log.Check(Created(0, 12), 1).value(), EventLog::Kind::kCreation);
  EXPECT_EQ(log.Check(Created(2, 11), 0).value(), EventLog::Kind::kCreation);
  EXPECT_EQ(log.VersionAt(1), "11");
  EXPECT_EQ(log.VersionAt(2), "12");
  EXPECT_THAT(Refused(log, Created(2, 11), 1), HasSubstr("others saw load-0000000 at version 12"));
  EXPECT_THAT(Refused(log, Created(0, 12), 0), HasSubstr("others saw load-0000002 at version 11"));
}

TEST(EventLog, TheSameEventInOtherWordsIsTheSame) {
  EventLog log(1);
  ASSERT_TRUE(log.Check(Line("ADDED", "load-0000000", 5, "a"), 0));
  EXPECT_EQ(log.Check(Line("ADDED", "load-0000000", 5, "b"), 0).value(), EventLog::Kind::kCreation);
  EXPECT_THAT(Refused(log, Line("ADDED", "load-0000000", 6, "a"), 0), HasSubstr("others saw"));
}

TEST(EventLog, NothingComesTwice) {
  EventLog log(2);
  ASSERT_TRUE(log.Check(Created(1, 5), 0));
  EXPECT_THAT(Refused(log, Created(1, 5), 1), HasSubstr("came before"));
  EXPECT_THAT(Refused(log, Created(1, 6), 1), HasSubstr("came before"));
}

TEST(EventLog, VersionsRise) {
  EventLog log(2);
  ASSERT_TRUE(log.Check(Created(0, 10), 0));
  EXPECT_THAT(Refused(log, Created(1, 9), 1), HasSubstr("versions go back"));
  EXPECT_THAT(Refused(log, Created(1, 10), 1), HasSubstr("versions go back"));
}

TEST(EventLog, WhatWasNotCreatedDoesNotCome) {
  EventLog log(2);
  EXPECT_THAT(Refused(log, Created(2, 5), 0), HasSubstr("was not created"));
  EXPECT_THAT(Refused(log, Line("ADDED", "load-x", 5), 0), HasSubstr("was not created"));
  EXPECT_THAT(Refused(log, Line("MODIFIED", "load-0000000", 5), 0), HasSubstr("never changed"));
  EXPECT_THAT(Refused(log, R"({"type":"ERROR","object":{"code":410}})", 0), HasSubstr("410"));
  EXPECT_THAT(Refused(log, "[]", 0), HasSubstr("no event"));
  EXPECT_THAT(Refused(log, R"({"type":"ADDED","object":{"metadata":{}}})", 0), HasSubstr("without a name"));
}

TEST(EventLog, WhatOthersCreateInTheNamespaceDoesNotCount) {
  EventLog log(1);
  EXPECT_EQ(log.Check(Line("ADDED", "kube-root-ca.crt", 5), 0).value(), EventLog::Kind::kOther);
  EXPECT_EQ(log.Check(Line("MODIFIED", "kube-root-ca.crt", 6), 0).value(), EventLog::Kind::kOther);
}

TEST(LineSplitter, LinesAreWholeHoweverTheyAreCut) {
  const std::string text = "one\ntwo\n\nthree\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    LineSplitter splitter;
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at += size) {
      EXPECT_TRUE(splitter.Take(std::string_view(text).substr(at, size), [&lines](std::string_view line) {
        lines.emplace_back(line);
        return true;
      }));
    }
    EXPECT_THAT(lines, ElementsAre("one", "two", "", "three"));
    EXPECT_TRUE(splitter.Empty());
  }
}

TEST(LineSplitter, StopsWhereItIsTold) {
  LineSplitter splitter;
  int lines = 0;
  EXPECT_FALSE(splitter.Take("one\ntwo\nthr", [&lines](std::string_view) { return ++lines < 1; }));
  EXPECT_EQ(lines, 1);
}

}  // namespace
}  // namespace kinformer::bench
