// Parsing of etcd gateway responses. The texts were captured from a real one.

#include "src/listwatch/storage/etcd_wire.h"

#include <nlohmann/json.hpp>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/meta/status_error.h>

#include "test/listwatch/storage/storage_testing.h"

namespace kinformer::apiserver::etcd {
namespace {

using testing_support::Text;
using Json = nlohmann::json;

TEST(EtcdWireTest, APrefixEndsBehindItsLastByteAndAKeyHasNoEnd) {
  // "/a/" and "/a0" in base64.
  EXPECT_EQ(Json::parse(RangeBody({.prefix = "/a/", .limit = 5, .revision = 7})),
            Json::parse(R"({"key":"L2Ev","range_end":"L2Ew","limit":"5","revision":"7"})"));
  EXPECT_EQ(Json::parse(RangeBody({.prefix = "/a"})), Json::parse(R"({"key":"L2E="})"));
  EXPECT_EQ(Json::parse(RangeBody({.prefix = "/a/", .start = "/a/b"})),
            Json::parse(R"({"key":"L2EvYg==","range_end":"L2Ew"})"));
}

TEST(EtcdWireTest, AWriteComparesTheModRevisionAndElseReads) {
  EXPECT_EQ(Json::parse(WriteBody("/a", Text("one"), 0, 0)), Json::parse(R"({
    "compare":[{"key":"L2E=","target":"MOD","result":"EQUAL","mod_revision":"0"}],
    "success":[{"request_put":{"key":"L2E=","value":"b25l"}}],
    "failure":[{"request_range":{"key":"L2E="}}]})"));
  EXPECT_EQ(Json::parse(WriteBody("/a", Text("one"), 5, 77))["success"][0]["request_put"]["lease"], "77");
  EXPECT_EQ(Json::parse(WriteBody("/a", nullptr, 5, 0))["success"],
            Json::parse(R"([{"request_delete_range":{"key":"L2E="}}])"));
}

TEST(EtcdWireTest, AWatchBeginsBehindItsRevisionAndAsksForWhatWasBefore) {
  EXPECT_EQ(Json::parse(WatchBody("/a/", 41)), Json::parse(R"({"create_request":{
    "key":"L2Ev","range_end":"L2Ew","start_revision":"42","prev_kv":true,"progress_notify":true}})"));
}

TEST(EtcdWireTest, NumbersAreStringsAndWhatIsFalseIsLeftOut) {
  const auto failed = ReadWrite(
      R"({"header":{"revision":"9"},"responses":[{"response_range":{"header":{"revision":"9"},
          "kvs":[{"key":"L2E=","create_revision":"2","mod_revision":"8","version":"1","value":"b25l"}],"count":"1"}}]})",
      "/a");
  ASSERT_TRUE(failed);
  ASSERT_FALSE(failed->Written());
  EXPECT_EQ(failed->current->mod_revision, 8);
  EXPECT_EQ(failed->current->create_revision, 2);
  EXPECT_EQ(*failed->current->value, "one");
  const auto absent =
      ReadWrite(R"({"header":{"revision":"9"},"responses":[{"response_range":{"header":{"revision":"9"}}}]})", "/a");
  ASSERT_TRUE(absent);
  ASSERT_FALSE(absent->Written());
  EXPECT_EQ(absent->current->value, nullptr);
  const auto written = ReadWrite(
      R"({"header":{"revision":"10"},"succeeded":true,"responses":[{"response_put":{"header":{"revision":"10"}}}]})",
      "/a");
  ASSERT_TRUE(written);
  EXPECT_TRUE(written->Written());
  EXPECT_EQ(written->revision, 10);
}

TEST(EtcdWireTest, AnEmptyRangeHasNeitherItemsNorACount) {
  const auto range = ReadRange(R"({"header":{"revision":"9"}})", 0);
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->items.empty());
  EXPECT_EQ(range->count, 0);
  EXPECT_EQ(range->revision, 9);
  EXPECT_EQ(ReadRange(R"({"header":{"revision":"9"}})", 5)->revision, 5);
}

TEST(EtcdWireTest, AnEmptyValueIsLeftOutToo) {
  const auto range =
      ReadRange(R"({"header":{"revision":"9"},"kvs":[{"key":"L2E=","mod_revision":"2"}],"count":"1"})", 0);
  ASSERT_TRUE(range);
  ASSERT_NE(range->items.at(0).value, nullptr);
  EXPECT_EQ(*range->items.at(0).value, "");
}

TEST(EtcdWireTest, APutHasNoTypeAndADeleteNoValue) {
  const auto frame = ReadWatchFrame(R"({"result":{"header":{"revision":"6"},"events":[
      {"kv":{"key":"L2E=","create_revision":"2","mod_revision":"5","version":"4","value":"b25l"},
       "prev_kv":{"key":"L2E=","create_revision":"2","mod_revision":"4","version":"3","value":"b25l"}},
      {"type":"DELETE","kv":{"key":"L2E=","mod_revision":"6"},
       "prev_kv":{"key":"L2E=","create_revision":"2","mod_revision":"5","value":"b25l"}}]}})");
  ASSERT_TRUE(frame);
  EXPECT_FALSE(frame->lacks_before);
  ASSERT_EQ(frame->events.events.size(), 2U);
  EXPECT_EQ(frame->events.events[0].kind, BackendEvent::Kind::kPut);
  EXPECT_EQ(frame->events.events[0].before->mod_revision, 4);
  EXPECT_EQ(frame->events.events[1].kind, BackendEvent::Kind::kDelete);
  EXPECT_EQ(frame->events.events[1].now.value, nullptr);
  EXPECT_EQ(frame->events.events[1].now.mod_revision, 6);
}

TEST(EtcdWireTest, AnUpdateWithoutWhatWasBeforeIsNoticedAndACreationIsNone) {
  const auto update = ReadWatchFrame(R"({"result":{"header":{"revision":"5"},"events":[
      {"kv":{"key":"L2E=","create_revision":"2","mod_revision":"4","version":"3","value":"b25l"}}]}})");
  ASSERT_TRUE(update);
  EXPECT_TRUE(update->lacks_before);
  const auto creation = ReadWatchFrame(R"({"result":{"header":{"revision":"5"},"events":[
      {"kv":{"key":"L2E=","create_revision":"4","mod_revision":"4","version":"1","value":"b25l"}}]}})");
  ASSERT_TRUE(creation);
  EXPECT_FALSE(creation->lacks_before);
}

TEST(EtcdWireTest, AWatchSaysThatItIsOpenOrOver) {
  EXPECT_TRUE(ReadWatchFrame(R"({"result":{"header":{"revision":"5","raft_term":"2"},"created":true}})")->created);
  const auto compacted =
      ReadWatchFrame(R"({"result":{"header":{"raft_term":"2"},"canceled":true,"compact_revision":"4"}})");
  ASSERT_TRUE(compacted);
  EXPECT_TRUE(compacted->canceled);
  EXPECT_EQ(compacted->compact_revision, 4);
  EXPECT_EQ(compacted->events.revision, 0);
  const auto error = ReadWatchFrame(
      R"({"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader","http_status":"Service Unavailable"}})");
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->canceled);
  EXPECT_EQ(error->why, "etcdserver: no leader");
}

TEST(EtcdWireTest, CompactedAndFutureRevisionsAreToldApartByTheirWords) {
  const ErrorResponse compacted = ReadErrorResponse(
      400,
      R"({"error":"etcdserver: mvcc: required revision has been compacted","message":"etcdserver: mvcc: required revision has been compacted","code":11})",
      3, 9);
  EXPECT_TRUE(IsResourceExpired(compacted.error));
  EXPECT_EQ(compacted.kind, ErrorResponse::Kind::kFinal);
  const ErrorResponse future = ReadErrorResponse(
      400,
      R"({"error":"etcdserver: mvcc: required revision is a future revision","message":"etcdserver: mvcc: required revision is a future revision","code":11})",
      30, 9);
  EXPECT_TRUE(IsTooLargeResourceVersion(future.error));
  EXPECT_EQ(future.error.http_status, 504);
}

TEST(EtcdWireTest, OtherRefusalsSayWhetherAWriteMayHaveBeenMade) {
  EXPECT_EQ(ReadErrorResponse(400, R"({"message":"etcdserver: request is too large","code":3})", 0, 0).error.code,
            ErrorCode::kTooLarge);
  EXPECT_EQ(ReadErrorResponse(503, R"({"message":"etcdserver: no leader","code":14})", 0, 0).kind,
            ErrorResponse::Kind::kNotHere);
  EXPECT_EQ(ReadErrorResponse(503, R"({"message":"etcdserver: leader changed","code":14})", 0, 0).kind,
            ErrorResponse::Kind::kUncertain);
  EXPECT_EQ(ReadErrorResponse(503, R"({"message":"etcdserver: request timed out","code":14})", 0, 0).kind,
            ErrorResponse::Kind::kUncertain);
  EXPECT_EQ(ReadErrorResponse(502, "<html>", 0, 0).kind, ErrorResponse::Kind::kUncertain);
  const ErrorResponse full =
      ReadErrorResponse(429, R"({"message":"etcdserver: mvcc: database space exceeded","code":8})", 0, 0);
  EXPECT_EQ(full.kind, ErrorResponse::Kind::kFinal);
  EXPECT_EQ(full.error.http_status, 500);
}

TEST(EtcdWireTest, WhatIsNoAnswerIsMalformed) {
  for (const char* body : {"", "[]", "{", "null", "{}", "\xff"}) {
    EXPECT_EQ(ReadRange(body, 0).error().code, ErrorCode::kMalformed) << body;
    EXPECT_EQ(ReadWrite(body, "/a").error().code, ErrorCode::kMalformed) << body;
    EXPECT_EQ(ReadLease(body).error().code, ErrorCode::kMalformed) << body;
    EXPECT_EQ(ReadWatchFrame(body).error().code, ErrorCode::kMalformed) << body;
  }
  EXPECT_FALSE(ReadRange(R"({"header":{"revision":"9"},"kvs":[{"key":"!"}],"count":"1"})", 0));
  EXPECT_FALSE(ReadRange(R"({"header":{"revision":"9"},"kvs":[7],"count":"1"})", 0));
  EXPECT_FALSE(ReadRange(R"({"header":{"revision":"9"},"count":"1"})", 0));
  EXPECT_FALSE(ReadWatchFrame(R"({"result":{"events":[{}]}})"));
}

TEST(EtcdWireTest, ProgressIsTrustedFromTheVersionsThatRepairedIt) {
  for (const char* version : {"3.4.31", "3.4.40", "3.5.13", "3.5.30", "3.6.0", "4.0.0", "3.5.13+git"}) {
    EXPECT_TRUE(ProgressIsReliableIn(version)) << version;
  }
  for (const char* version : {"3.4.23", "3.4.30", "3.5.0", "3.5.12", "3.3.99", "2.0", "", "x", "3", "3.5.13-rc.0"}) {
    EXPECT_FALSE(ProgressIsReliableIn(version)) << version;
  }
}

}  // namespace
}  // namespace kinformer::apiserver::etcd
