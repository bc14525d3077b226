#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <kinformer/apiserver/faults/faults.h>

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

Fault Parsed(std::string_view spec) {
  const Result<Fault> fault = ParseFault(spec);
  EXPECT_TRUE(fault) << (fault ? "" : fault.error().message);
  return fault ? *fault : Fault{};
}

std::string Refused(std::string_view spec) {
  const Result<Fault> fault = ParseFault(spec);
  EXPECT_FALSE(fault) << spec;
  if (fault) return {};
  EXPECT_EQ(fault.error().code, ErrorCode::kInvalidArgument);
  return fault.error().message;
}

TEST(FaultSpecTest, ReadsVerbResourceConditionsAndArguments) {
  EXPECT_EQ(Parsed("watch:pods=close"), (Fault{.verb = "watch", .resource = "pods", .kind = FaultKind::kClose}));
  EXPECT_EQ(Parsed("watch:pods:nth=2:after=10=reset"),
            (Fault{.verb = "watch", .resource = "pods", .kind = FaultKind::kReset, .nth = 2, .after = 10}));
  EXPECT_EQ(Parsed("*:*:times=3=unauthorized"), (Fault{.kind = FaultKind::kUnauthorized, .times = 3}));
  EXPECT_EQ(Parsed("list:deployments.apps=error,503,2"), (Fault{.verb = "list",
                                                                .resource = "deployments.apps",
                                                                .kind = FaultKind::kError,
                                                                .number = 503,
                                                                .duration = seconds(2)}));
  EXPECT_EQ(Parsed("watch:*=late-initial-end,250ms").duration, milliseconds(250));
  EXPECT_EQ(Parsed("watch:*=slow-watcher,2m").duration, std::chrono::minutes(2));
  EXPECT_EQ(Parsed("get:/apis/apps/v1=stale-discovery").resource, "/apis/apps/v1");
  EXPECT_EQ(Parsed("update:pods/status=conflict-storm,4").number, 4);
}

TEST(FaultSpecTest, SaysWhatIsWrongAndWhatWouldBeRight) {
  EXPECT_THAT(Refused("close"), HasSubstr("no ':' between verb and resource"));
  EXPECT_THAT(Refused("watch:pods"), HasSubstr("no \"=fault\""));
  EXPECT_THAT(Refused("watch:pods:nth=1"), HasSubstr("no \"=fault\""));
  EXPECT_THAT(Refused("watch:pods=explode"), HasSubstr("there is no fault \"explode\"; there are error, throttle,"));
  EXPECT_THAT(Refused("look:pods=close"), HasSubstr("\"look\" is not a verb"));
  EXPECT_THAT(Refused("watch:=close"), HasSubstr("is not a resource"));
  EXPECT_THAT(Refused("watch:pods:nth=two=close"), HasSubstr("nth= wants a number, not \"two\""));
  EXPECT_THAT(Refused("watch:pods:nth=-1=close"), HasSubstr("nth= wants a number"));
  EXPECT_THAT(Refused("watch:pods:every=2=close"), HasSubstr("\"every\" is none of nth, after and times"));
  EXPECT_THAT(Refused("watch:pods=close,1"), HasSubstr("close takes no argument"));
  EXPECT_THAT(Refused("list:pods=error"), HasSubstr("error takes CODE[,RETRY_AFTER]; the first is missing"));
  EXPECT_THAT(Refused("list:pods=error,200"), HasSubstr("200 is not between 400 and 599"));
  EXPECT_THAT(Refused("list:pods=error,500,soon"), HasSubstr("\"soon\" is not a duration"));
  EXPECT_THAT(Refused("list:pods=error,500,1,2"), HasSubstr("\"2\" is too much"));
  EXPECT_THAT(Refused("list:pods=throttle,99999h"), HasSubstr("between 0 and 24 hours"));
  EXPECT_THAT(Refused("list:pods=drop"), HasSubstr("drop is a fault of watches"));
  EXPECT_THAT(Refused("list:pods:after=3=error,500"), HasSubstr("after= counts a watch's events"));
  EXPECT_THAT(Refused("*:*=goaway"), HasSubstr("nghttpx"));
  EXPECT_THAT(Refused(std::string(2000, 'x')), HasSubstr("longer than"));
}

TEST(FaultSpecTest, EveryFaultHasANameOfItsOwnAndComesBackFromItsText) {
  std::set<std::string_view> names;
  for (const FaultDescription& known : KnownFaults()) {
    EXPECT_TRUE(names.insert(known.name).second) << known.name;
    EXPECT_FALSE(known.what.empty()) << known.name;
    const bool needs_code = known.arguments.starts_with("CODE");
    const std::string spec = "watch:pods:nth=2:times=1=" + std::string(known.name) + (needs_code ? ",500" : "");
    const Fault fault = Parsed(spec);
    EXPECT_EQ(fault.kind, known.kind);
    EXPECT_EQ(ToString(fault), spec);
  }
  for (const char* spec : {"*:*=error,500,1s", "watch:pods:after=3=coalesce,8,20ms", "watch:pods=coalesce,16,1s"}) {
    EXPECT_EQ(ToString(Parsed(spec)), spec);
  }
}

TEST(FaultSpecTest, WhatIsAddedFromCodeIsCheckedToo) {
  Faults faults;
  EXPECT_FALSE(faults.Add({.verb = "list", .kind = FaultKind::kDrop}));
  EXPECT_FALSE(faults.Add({.kind = FaultKind::kError}));
  EXPECT_FALSE(faults.Add({.kind = static_cast<FaultKind>(1000)}));
  EXPECT_TRUE(faults.All().empty());
  EXPECT_TRUE(faults.Add({.kind = FaultKind::kError, .number = 500}));
  EXPECT_EQ(faults.All().size(), 1U);
}

TEST(FaultSpecTest, TheDocumentationHasThemAll) {
  std::ifstream file(FAULTS_MD);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const FaultDescription& known : KnownFaults()) {
    std::string name(known.name);
    if (!known.arguments.empty()) name += "," + std::string(known.arguments);
    if (known.arguments.starts_with('['))
      name = std::string(known.name) + "[," + std::string(known.arguments.substr(1));
    EXPECT_THAT(text, HasSubstr("| `" + name + "` | " + std::string(known.what) + " |\n"));
  }
}

}  // namespace
}  // namespace kinformer
