#include "src/codec/watch_event_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

namespace kinformer::internal {
namespace {

using ::testing::HasSubstr;

std::string FrameError(std::string_view frame) {
  const auto event = ReadWatchEvent(frame, {});
  if (event) return "no error";
  EXPECT_EQ(event.error().code, ErrorCode::kMalformed);
  return event.error().message;
}

TEST(WatchEventReaderTest, EachTypeIsRead) {
  for (const WatchEventType type :
       {WatchEventType::kAdded, WatchEventType::kModified, WatchEventType::kDeleted, WatchEventType::kBookmark}) {
    const auto event = ReadWatchEvent(R"({"type":")" + std::string(ToString(type)) +
                                          R"(","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a",)"
                                          R"("resourceVersion":"5","managedFields":[1]},"spec":{"x":"é"}}})",
                                      {});
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(event->type, type);
    ASSERT_TRUE(event->object);
    EXPECT_EQ(event->object->Name(), "a");
    EXPECT_EQ(event->object->Json(),
              R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"5"},"spec":{"x":"é"}})");
  }
}

TEST(WatchEventReaderTest, MembersComeInAnyOrderWithOthersBetween) {
  const auto event = ReadWatchEvent(
      R"( { "x" : [1,{}], "object" : {"metadata":{"name":"a","managedFields":[]}} , "y":null, "\u0074ype" : "ADDED" } )",
      {});
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->type, WatchEventType::kAdded);
  EXPECT_EQ(event->object->Json(), R"({"metadata":{"name":"a"}})");
}

TEST(WatchEventReaderTest, ObjectOptionsApply) {
  ObjectOptions options;
  options.default_gvk = {"apps", "v1", "Deployment"};
  options.keep_managed_fields = true;
  for (const char* const frame : {R"({"type":"ADDED","object":{"metadata":{"managedFields":[]}}})",
                                  R"({"object":{"metadata":{"managedFields":[]}},"type":"ADDED"})"}) {
    const auto event = ReadWatchEvent(frame, options);
    ASSERT_TRUE(event);
    EXPECT_EQ(event->object->Json(), R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"managedFields":[]}})");
  }
}

TEST(WatchEventReaderTest, ABookmarkHasOnlyItsResourceVersion) {
  const auto event = ReadWatchEvent(
      R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"12746",)"
      R"("annotations":{"k8s.io/initial-events-end":"true"}}}})",
      {});
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, WatchEventType::kBookmark);
  EXPECT_EQ(event->object->ResourceVersion(), "12746");
  EXPECT_TRUE(event->object->Annotations().Contains("k8s.io/initial-events-end"));
}

TEST(WatchEventReaderTest, AnErrorCarriesTheServersStatus) {
  for (const bool type_first : {true, false}) {
    const std::string status =
        R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"slow down","reason":"TooManyRequests",)"
        R"("details":{"name":"n","group":"g","kind":"pods","uid":"u","retryAfterSeconds":7,)"
        R"("causes":[{"reason":"r","message":"m","field":"f"},{}]},"code":429})";
    const auto event = ReadWatchEvent(
        type_first ? R"({"type":"ERROR","object":)" + status + "}" : R"({"object":)" + status + R"(,"type":"ERROR"})",
        {});
    ASSERT_TRUE(event);
    EXPECT_EQ(event->type, WatchEventType::kError);
    EXPECT_FALSE(event->object);
    EXPECT_EQ(event->error.code, ErrorCode::kServer);
    EXPECT_EQ(event->error.http_status, 429);
    EXPECT_EQ(event->error.reason, "TooManyRequests");
    EXPECT_EQ(event->error.message, "slow down");
    EXPECT_EQ(event->error.retry_after, std::chrono::seconds(7));
    EXPECT_EQ(event->error.details, (ErrorDetails{"n", "g", "pods", "u", {{"r", "m", "f"}, {}}}));
  }
}

TEST(WatchEventReaderTest, AnErrorWithoutAStatusSaysWhatItSaid) {
  const auto event = ReadWatchEvent(R"({"type":"ERROR","object":{"oops":"broken"}})", {});
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, WatchEventType::kError);
  EXPECT_EQ(event->error.code, ErrorCode::kServer);
  EXPECT_THAT(event->error.message, HasSubstr("broken"));
  const auto text = ReadWatchEvent(R"({"type":"ERROR","object":"plain"})", {});
  ASSERT_TRUE(text);
  EXPECT_THAT(text->error.message, HasSubstr("plain"));
}

TEST(WatchEventReaderTest, WhatIsMissingOrUnknownIsMalformed) {
  EXPECT_EQ(FrameError(R"({"object":{"metadata":{}}})"), "watch event has no type");
  EXPECT_EQ(FrameError(R"({"type":7,"object":{"metadata":{}}})"), "watch event has no type");
  EXPECT_EQ(FrameError(R"({"type":"RENAMED","object":{"metadata":{}}})"),
            "watch event has the unknown type \"RENAMED\"");
  EXPECT_EQ(FrameError(R"({"type":"ADDED"})"), "watch event of type ADDED has no object");
  EXPECT_EQ(FrameError("{}"), "watch event has no type");
  EXPECT_EQ(FrameError("[]"), "watch event: expected a JSON object at byte 0");
  EXPECT_EQ(FrameError(R"({"type":"ADDED","object":[]})"), "watch event: expected a JSON object at byte 25");
  EXPECT_EQ(FrameError(R"({"type":"ADDED","object":null})"), "watch event: expected a JSON object at byte 25");
  EXPECT_EQ(FrameError(R"({"type":"ADDED","object":{"spec":1}})"), "watch event: object has no metadata at byte 25");
  EXPECT_EQ(FrameError(R"({"object":{"metadata":{"name":1}},"type":"ADDED"})"),
            "watch event: expected a string at byte 30 (/metadata/name)");
}

TEST(WatchEventReaderTest, InvalidJsonIsMalformedAndSaysWhere) {
  EXPECT_EQ(FrameError(R"({"type":"ADDED","object":{"metadata":{},"spec":tru}})"),
            "watch event: expected a value at byte 47 (/object/spec)");
  EXPECT_EQ(FrameError(R"({"type":"ERROR","object":{"a" 1 2 3}})"), "watch event: expected ':' at byte 30 (/object/a)");
  EXPECT_THAT(FrameError(R"({"type":"ADDED","object":{"metadata":{}}} x)"), HasSubstr("unexpected text"));
  EXPECT_THAT(FrameError(R"({"type":"ADDED","object":{"metadata":{}})"), HasSubstr("unexpected end of text"));
  EXPECT_THAT(FrameError(""), HasSubstr("unexpected end of text"));
  EXPECT_THAT(FrameError("not json"), HasSubstr("at byte 0"));
}

TEST(WatchEventReaderTest, OfDuplicateMembersTheLastCounts) {
  const auto event = ReadWatchEvent(
      R"({"type":"ADDED","object":{"metadata":{"name":"a"}},"object":{"metadata":{"name":"b"}},"type":"DELETED"})", {});
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, WatchEventType::kDeleted);
  EXPECT_EQ(event->object->Name(), "b");
}

TEST(WatchEventReaderTest, AnEventOfSeveralMebibytesIsRead) {
  for (const bool type_first : {true, false}) {
    const std::string object = R"({"metadata":{"name":"a"},"data":")" + std::string(3U << 20U, 'x') + R"("})";
    const auto event = ReadWatchEvent(
        type_first ? R"({"type":"ADDED","object":)" + object + "}" : R"({"object":)" + object + R"(,"type":"ADDED"})",
        {});
    ASSERT_TRUE(event);
    EXPECT_EQ(event->object->Json(), object);
  }
}

}  // namespace
}  // namespace kinformer::internal
