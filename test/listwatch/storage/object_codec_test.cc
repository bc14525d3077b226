#include "src/listwatch/storage/object_codec.h"

#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::apiserver {
namespace {

const GroupVersionKind kPod{.group = "", .version = "v1", .kind = "Pod"};

ObjectPtr Parse(std::string_view json) {
  return Object::Parse(json, {.keep_managed_fields = true, .default_gvk = kPod}).value();
}

TEST(ObjectCodecTest, IsStoredWithoutItsResourceVersionAndReadBackWithTheWrites) {
  const ObjectPtr object = Parse(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","resourceVersion":"7","uid":"u"},"spec":{"x":1}})");
  const std::string stored = EncodeObject(*object);
  EXPECT_EQ(stored, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","uid":"u"},"spec":{"x":1}})");
  const Result<ObjectPtr> read = DecodeObject(stored, 42, kPod);
  ASSERT_TRUE(read);
  EXPECT_EQ(
      (*read)->Json(),
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"42","name":"a","uid":"u"},"spec":{"x":1}})");
}

TEST(ObjectCodecTest, TheSameObjectWithAnotherVersionIsTheSameText) {
  const auto text = [](const char* metadata) {
    return EncodeObject(*Parse(std::string(R"({"metadata":{)") + metadata + R"("name":"a"},"spec":{}})"));
  };
  EXPECT_EQ(text(""), text(R"("resourceVersion":"7",)"));
}

TEST(ObjectCodecTest, MetadataComesFirstWhereverItWas) {
  const ObjectPtr object = Parse(
      R"({"spec":{"template":{"metadata":{"name":"inner"}}},"metadata":{"name":"a"},"kind":"Pod","apiVersion":"v1"})");
  const std::string stored = EncodeObject(*object);
  EXPECT_EQ(
      stored,
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"template":{"metadata":{"name":"inner"}}}})");
  const Result<ObjectPtr> read = DecodeObject(stored, 42, kPod);
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)->Name(), "a");
  EXPECT_EQ((*read)->ResourceVersion(), "42");
}

TEST(ObjectCodecTest, ManagedFieldsAreKept) {
  const std::string stored = EncodeObject(*Parse(R"({"metadata":{"name":"a","managedFields":[{"manager":"m"}]}})"));
  const Result<ObjectPtr> read = DecodeObject(stored, 1, kPod);
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)->At("/metadata/managedFields/0/manager").StringOr(""), "m");
}

TEST(ObjectCodecTest, EmptyMetadataGetsItsVersionToo) {
  const Result<ObjectPtr> read = DecodeObject(R"({"apiVersion":"v1","kind":"Pod","metadata":{}})", 5, kPod);
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)->ResourceVersion(), "5");
}

class ForeignTextTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ForeignTextTest, IsReadWithTheVersionOfItsWrite) {
  const Result<ObjectPtr> read = DecodeObject(GetParam(), 42, kPod);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)->ResourceVersion(), "42");
  EXPECT_EQ((*read)->Name(), "a");
  EXPECT_EQ((*read)->Kind(), "Pod");
  EXPECT_EQ((*DecodeObject(EncodeObject(**read), 43, kPod))->ResourceVersion(), "43");
}

INSTANTIATE_TEST_SUITE_P(Texts, ForeignTextTest,
                         ::testing::Values(R"({"metadata":{"name":"a","resourceVersion":"7"}})",
                                           R"({ "metadata" : { "name" : "a" } })",
                                           R"({"metadata":{ "name":"a" }, "spec":{}})",
                                           R"({"spec":{"metadata":{"name":"b"}},"metadata":{"name":"a"}})",
                                           R"({"metadata":{"name":"a","resourceVersion":"7","resourceVersion":"8"}})",
                                           R"({"metadata":{"name":"b"},"metadata":{"name":"a"}})",
                                           R"({"x\"metadata":{"name":"b"},"metadata":{"name":"a"}})",
                                           R"({"note":"\"metadata\":{","metadata":{"name":"a"}})",
                                           R"({"met\u0061data":{"name":"a","resource\u0056ersion":"9"}})"));

TEST(ObjectCodecTest, WhatIsNoObjectIsAnError) {
  for (const char* text : {"", "{", "[]", "{}", R"({"metadata":{)", R"({"metadata":1})", "\xff"}) {
    const Result<ObjectPtr> read = DecodeObject(text, 1, kPod);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kMalformed);
  }
}

TEST(ObjectCodecTest, ABookmarkSaysItsKindAndVersionAndWhetherItEndsAList) {
  const ObjectPtr plain = MakeBookmark({.group = "apps", .version = "v1", .kind = "Deployment"}, 9, false);
  EXPECT_EQ(plain->Json(), R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"9"}})");
  const ObjectPtr end = MakeBookmark(kPod, 9, true);
  EXPECT_EQ(end->Annotations().Find("k8s.io/initial-events-end"), "true");
}

}  // namespace
}  // namespace kinformer::apiserver
