#include "src/codec/list_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Outcome {
  std::vector<ObjectPtr> items;
  ListMeta meta;
  std::optional<Error> error;

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const ObjectPtr& item : items) names.emplace_back(item->Name());
    return names;
  }
};

Outcome Read(std::string_view body, std::size_t chunk_bytes = 1U << 20U, ListReaderOptions options = {}) {
  Outcome outcome;
  ListReader reader(std::move(options));
  while (!body.empty()) {
    // A separate copy of each chunk, so that sanitizers catch reads past its end.
    const std::string chunk(body.substr(0, chunk_bytes));
    body.remove_prefix(chunk.size());
    if (auto fed = reader.Feed(chunk, outcome.items); !fed) {
      outcome.error = fed.error();
      return outcome;
    }
  }
  auto meta = reader.Finish();
  if (meta) {
    outcome.meta = *meta;
  } else {
    outcome.error = meta.error();
  }
  return outcome;
}

std::string ListError(std::string_view body) {
  const Outcome outcome = Read(body);
  return outcome.error ? outcome.error->message : "no error";
}

ListReaderOptions WithDefault(std::string group, std::string version, std::string kind) {
  ListReaderOptions options;
  options.object.default_gvk = {std::move(group), std::move(version), std::move(kind)};
  return options;
}

constexpr std::string_view kPods =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"77","continue":"next","remainingItemCount":5},)"
    R"("items":[{"metadata":{"name":"a","managedFields":[]},"spec":{}},{"metadata":{"name":"b"}}]})";

TEST(ListReaderTest, ItemsAndMetadataAreRead) {
  const Outcome outcome = Read(kPods);
  ASSERT_FALSE(outcome.error) << outcome.error->message;
  EXPECT_THAT(outcome.Names(), ElementsAre("a", "b"));
  EXPECT_EQ(outcome.meta.resource_version, "77");
  EXPECT_EQ(outcome.meta.continue_token, "next");
  EXPECT_EQ(outcome.meta.remaining_item_count, 5);
}

TEST(ListReaderTest, EveryChunkingGivesTheSameItems) {
  const std::string body =
      "\n{ \"\\u006bind\" : \"PodList\" , \"apiVersion\":\"v1\",\"extra\":[1,{\"a\":\"]}\\\\\"},-1.5e3],"
      "\"n\":12,\"items\" : [ {\"metadata\":{\"name\":\"\xC3\xA9\\\"\"},\"x\":\"" +
      std::string(100, 'x') +
      "}]\\\\\"} , {\"metadata\":{\"name\":\"\xF0\x9F\x98\x80\"}} ] , \"metadata\" : "
      "{\"resourceVersion\":\"1\"}, \"b\":true } \r\n";
  const Outcome whole = Read(body);
  ASSERT_FALSE(whole.error) << whole.error->message;
  ASSERT_EQ(whole.items.size(), 2U);
  EXPECT_EQ(whole.items[0]->Kind(), "Pod");
  for (std::size_t size = 1; size <= body.size(); ++size) {
    const Outcome pieces = Read(body, size);
    ASSERT_FALSE(pieces.error) << pieces.error->message;
    ASSERT_EQ(pieces.items.size(), whole.items.size());
    for (std::size_t i = 0; i < whole.items.size(); ++i) EXPECT_EQ(pieces.items[i]->Json(), whole.items[i]->Json());
    EXPECT_EQ(pieces.meta.resource_version, "1");
  }
}

TEST(ListReaderTest, ItemsAreHandedOverWhileTheBodyIsStillArriving) {
  ListReader reader;
  std::vector<ObjectPtr> items;
  ASSERT_TRUE(reader.Feed(R"({"items":[{"metadata":{"name":"a"}},{"metadata":)", items));
  EXPECT_EQ(items.size(), 1U);
  ASSERT_TRUE(reader.Feed(R"({"name":"b"}})", items));
  EXPECT_EQ(items.size(), 2U);
  EXPECT_FALSE(reader.Finish());
}

TEST(ListReaderTest, MetadataMayComeAfterTheItems) {
  const Outcome outcome = Read(
      R"({"apiVersion":"example.com/v1","items":[{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"a"}}],)"
      R"("kind":"FooList","metadata":{"continue":"","resourceVersion":"9"}})");
  ASSERT_FALSE(outcome.error) << outcome.error->message;
  EXPECT_EQ(outcome.meta.resource_version, "9");
  EXPECT_EQ(outcome.meta.remaining_item_count, std::nullopt);
}

TEST(ListReaderTest, ItemsWithoutATypeGetItFromTheList) {
  const Outcome outcome =
      Read(R"({"kind":"DeploymentList","apiVersion":"apps/v1","items":[{"metadata":{"name":"a"}}]})", 1000,
           WithDefault("wrong", "v9", "Wrong"));
  ASSERT_EQ(outcome.items.size(), 1U);
  EXPECT_EQ(outcome.items[0]->Gvk(), (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(outcome.items[0]->ToJson().at("kind"), "Deployment");
  EXPECT_EQ(outcome.items[0]->ToJson().at("apiVersion"), "apps/v1");
  EXPECT_EQ(outcome.items[0]->Json(), R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"}})");
}

TEST(ListReaderTest, ItemsBeforeTheListsTypeGetItFromTheRequest) {
  const Outcome outcome = Read(R"({"items":[{"metadata":{"name":"a"}}],"kind":"PodList","apiVersion":"v1"})", 7,
                               WithDefault("", "v1", "Pod"));
  ASSERT_EQ(outcome.items.size(), 1U);
  EXPECT_EQ(outcome.items[0]->ToJson().at("kind"), "Pod");
  EXPECT_EQ(outcome.items[0]->ToJson().at("apiVersion"), "v1");
}

TEST(ListReaderTest, ItemsWithTheirOwnTypeKeepIt) {
  const Outcome outcome =
      Read(R"({"kind":"List","apiVersion":"v1","items":[{"kind":"Pod","apiVersion":"v1","metadata":{}},)"
           R"({"kind":"Job","apiVersion":"batch/v1","metadata":{}},{"metadata":{}}]})");
  ASSERT_EQ(outcome.items.size(), 3U);
  EXPECT_EQ(outcome.items[0]->Kind(), "Pod");
  EXPECT_EQ(outcome.items[1]->Gvk(), (GroupVersionKind{"batch", "v1", "Job"}));
  EXPECT_EQ(outcome.items[2]->Kind(), "");
}

TEST(ListReaderTest, ManagedFieldsAreDroppedUnlessAskedFor) {
  EXPECT_EQ(Read(kPods).items.at(0)->ToJson().at("metadata").count("managedFields"), 0U);
  ListReaderOptions options;
  options.object.keep_managed_fields = true;
  EXPECT_EQ(Read(kPods, 100, options).items.at(0)->ToJson().at("metadata").count("managedFields"), 1U);
}

TEST(ListReaderTest, AnEmptyListHasNoItems) {
  for (const char* const items : {"[]", "null", "[ ]"}) {
    for (const std::size_t size : {1U, 1000U}) {
      const Outcome outcome =
          Read(R"({"kind":"PodList","metadata":{"resourceVersion":"3"},"items":)" + std::string(items) + "}", size);
      EXPECT_FALSE(outcome.error) << outcome.error->message;
      EXPECT_TRUE(outcome.items.empty());
      EXPECT_EQ(outcome.meta.resource_version, "3");
    }
  }
}

TEST(ListReaderTest, AnEscapedItemsKeyIsTheItemsKey) {
  EXPECT_THAT(Read(R"({"\u0069tem\u0073":[{"metadata":{"name":"a"}}]})").Names(), ElementsAre("a"));
}

TEST(ListReaderTest, ItemsInsideOtherMembersAreNotItems) {
  const Outcome outcome = Read(R"({"metadata":{"items":[{"x":1}]},"items":[{"metadata":{"name":"a"},"items":[1]}]})");
  EXPECT_FALSE(outcome.error);
  EXPECT_THAT(outcome.Names(), ElementsAre("a"));
}

TEST(ListReaderTest, GoodItemsBeforeAnErrorAreKept) {
  for (const std::size_t size : {1U, 13U, 1000U}) {
    const Outcome outcome = Read(
        R"({"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}},{"metadata":{"name":"c"},"s":tru}]})", size);
    EXPECT_THAT(outcome.Names(), ElementsAre("a", "b"));
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, ErrorCode::kMalformed);
    EXPECT_EQ(outcome.error->message, "item 2: expected a value at byte 91 (/s)");
  }
}

TEST(ListReaderTest, AfterAnErrorTheReaderGivesTheSameErrorAgain) {
  ListReader reader;
  std::vector<ObjectPtr> items;
  const auto first = reader.Feed("{]", items);
  ASSERT_FALSE(first);
  const auto second = reader.Feed(R"("items":[]})", items);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(), first.error());
  const auto finish = reader.Finish();
  ASSERT_FALSE(finish);
  EXPECT_EQ(finish.error(), first.error());
}

TEST(ListReaderTest, ATruncatedListIsAnErrorThatSaysSo) {
  EXPECT_THAT(ListError(""), HasSubstr("the list is truncated before it begins at byte 0"));
  for (std::size_t size = 1; size < kPods.size(); ++size) {
    const Outcome outcome = Read(kPods.substr(0, size));
    ASSERT_TRUE(outcome.error) << size;
    EXPECT_EQ(outcome.error->code, ErrorCode::kMalformed);
    EXPECT_THAT(outcome.error->message, HasSubstr("the list is truncated")) << size;
    EXPECT_THAT(outcome.error->message, HasSubstr("at byte " + std::to_string(size)));
  }
  EXPECT_THAT(ListError(R"({"items":[{"metadata":{}},{"meta)"), HasSubstr("inside item 1"));
  EXPECT_THAT(ListError(R"({"items":[{"metadata":{}},)"), HasSubstr("after 1 items"));
}

TEST(ListReaderTest, MalformedListsSayWhere) {
  EXPECT_EQ(ListError(R"({"items":[1]})"), "item 0: expected a JSON object at byte 10");
  EXPECT_EQ(ListError(R"({"items":[{"metadata":{}} {}]})"), "expected ',' or ']' after item 0 at byte 26");
  EXPECT_EQ(ListError(R"({"items":[{"metadata":{}},]})"), "item 1: expected a JSON object at byte 26");
  EXPECT_EQ(ListError(R"({"items":{}})"), "expected an array at byte 9 (/items)");
  EXPECT_EQ(ListError(R"({"items":"x"})"), "expected an array at byte 9 (/items)");
  EXPECT_EQ(ListError(R"({"items":[],"items":[]})"), "duplicate member items at byte 20 (/items)");
  EXPECT_EQ(ListError(R"({"items":[{}]})"), "item 0: object has no metadata at byte 10");
  EXPECT_EQ(ListError(R"({"items":[]}x)"), "unexpected text after the list at byte 12");
  EXPECT_EQ(ListError(R"({"items":[],})"), "expected a key at byte 12");
  EXPECT_EQ(ListError(R"({,})"), "expected a key or '}' at byte 1");
  EXPECT_EQ(ListError(R"({"items" []})"), "expected ':' at byte 9");
  EXPECT_EQ(ListError(R"({"items":[] "a":1})"), "expected ',' or '}' at byte 12");
  EXPECT_EQ(ListError(R"({"a":,"items":[]})"), "expected a value at byte 5");
  EXPECT_EQ(ListError(R"({"a":tru,"items":[]})"), "expected a value at byte 5");
  EXPECT_EQ(ListError(R"({"a":[1,,2],"items":[]})"), "expected a value at byte 8 (/1)");
  EXPECT_EQ(ListError("{\"a\xFF\":1,\"items\":[]}"), "not valid UTF-8 at byte 3");
  EXPECT_EQ(ListError(R"({"a\x":1,"items":[]})"), "not a valid escape sequence at byte 3");
  EXPECT_EQ(ListError(R"({"items":nul})"), "expected a value at byte 9");
  EXPECT_EQ(ListError(R"({"metadata":[],"items":[]})"), "metadata is not an object at byte 12 (/metadata)");
  EXPECT_THAT(ListError(R"({"metadata":{"resourceVersion":7},"items":[]})"), HasSubstr("(/metadata/resourceVersion)"));
  EXPECT_THAT(ListError(R"({"metadata":{"continue":{}},"items":[]})"), HasSubstr("(/metadata/continue)"));
  EXPECT_THAT(ListError(R"({"metadata":{"remainingItemCount":"x"},"items":[]})"), HasSubstr("remainingItemCount"));
  EXPECT_THAT(ListError(R"({"kind":1,"items":[]})"), HasSubstr("(/kind)"));
}

TEST(ListReaderTest, ABodyThatIsNotJsonIsShown) {
  EXPECT_EQ(ListError("\n<html>\n<body>not   here"),
            "expected a list, but the body begins with \"<html> <body>not here\" at byte 1");
  EXPECT_THAT(ListError("[1,2]"), HasSubstr("expected a list"));
  EXPECT_LT(ListError("x" + std::string(100000, 'y')).size(), 200U);
}

TEST(ListReaderTest, AStatusInsteadOfAListIsTheServersError) {
  const std::string_view body =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version",)"
      R"("reason":"Expired","details":{"retryAfterSeconds":2},"code":410})";
  for (const std::size_t size : {1U, 1000U}) {
    const Outcome outcome = Read(body, size);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, ErrorCode::kServer);
    EXPECT_EQ(outcome.error->http_status, 410);
    EXPECT_EQ(outcome.error->reason, "Expired");
    EXPECT_EQ(outcome.error->message, "too old resource version");
    EXPECT_EQ(outcome.error->retry_after, std::chrono::seconds(2));
  }
}

TEST(ListReaderTest, WhatIsNoListIsAnErrorThatNamesItsKind) {
  EXPECT_EQ(ListError(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})"),
            "expected a list, but the body has no items: it is of kind Pod");
  EXPECT_EQ(ListError("{}"), "expected a list, but the body has no items");
  EXPECT_THAT(ListError(R"({"kind":"PodList","metadata":{}})"), HasSubstr("no items"));
  EXPECT_THAT(ListError(R"({"kind":"Status","status":"Success"})"), HasSubstr("it is of kind Status"));
}

TEST(ListReaderTest, AnItemBeyondTheLimitIsAnError) {
  ListReaderOptions options;
  options.max_item_bytes = 100;
  const std::string item = R"({"metadata":{"name":"a"},"x":")" + std::string(100, 'x') + R"("})";
  for (const std::size_t size : {1U, 1000U}) {
    const Outcome outcome = Read(R"({"items":[{"metadata":{"name":"ok"}},)" + item + "]}", size, options);
    EXPECT_THAT(outcome.Names(), ElementsAre("ok"));
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(outcome.error->code, ErrorCode::kTooLarge);
    EXPECT_EQ(outcome.error->message, "item 1 is longer than 100 bytes");
  }
  const Outcome other = Read(R"({"x":")" + std::string(200, 'x') + R"(","items":[]})", 10, options);
  ASSERT_TRUE(other.error);
  EXPECT_EQ(other.error->code, ErrorCode::kTooLarge);
}

TEST(ListReaderTest, TooMuchWithoutAnItemIsAnError) {
  for (const auto& [begin, again] :
       std::vector<std::pair<std::string, std::string>>{{"", " "},
                                                        {"{", "\n\t "},
                                                        {R"({"a":1)", R"(,"a":1)"},
                                                        {R"({"items":[)", "     "},
                                                        {R"({"items":[],"b":"c")", R"(,"b":"c")"},
                                                        {R"({"kind":")", "xxx"},
                                                        {R"({"metadata":{)", R"("a":1,)"}}) {
    ListReader reader({.object = {}, .max_item_bytes = 10'000});
    std::vector<ObjectPtr> items;
    ASSERT_TRUE(reader.Feed(begin, items).ok());
    std::optional<Error> error;
    for (int i = 0; i < 20'000 && !error; ++i) {
      if (auto read = reader.Feed(again, items); !read) error = read.error();
    }
    ASSERT_TRUE(error) << begin;
    EXPECT_EQ(error->code, ErrorCode::kTooLarge) << ToString(*error);
  }
  // The limit applies to the bytes since the last item, not to the sum over all gaps.
  ListReader reader({.object = {}, .max_item_bytes = 100});
  std::vector<ObjectPtr> items;
  ASSERT_TRUE(reader.Feed(R"({"items":[)", items).ok());
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(reader.Feed((i > 0 ? "," : "") + std::string(50, ' ') + R"({"metadata":{"name":"a"}})", items).ok());
  }
  EXPECT_EQ(items.size(), 100U);
}

TEST(ListReaderTest, AVersionOrATokenThatNoUrlHoldsIsAnError) {
  for (const auto& [field, size] : {std::pair("resourceVersion", 1025), std::pair("continue", (64 << 10) + 1)}) {
    ListReader reader;
    std::vector<ObjectPtr> items;
    const auto read = reader.Feed(R"({"metadata":{")" + std::string(field) + R"(":")" +
                                      std::string(static_cast<std::size_t>(size), '9') + R"("}})",
                                  items);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, ErrorCode::kMalformed);
    EXPECT_NE(read.error().message.find(field), std::string::npos) << read.error().message;
  }
}

TEST(ListReaderTest, AnItemOfSeveralMebibytesIsRead) {
  const std::string big(5U << 20U, 'x');
  const Outcome outcome =
      Read(R"({"items":[{"metadata":{"name":"a"},"x":")" + big + R"("},{"metadata":{"name":"b"}}]})", 16U << 10U);
  ASSERT_FALSE(outcome.error) << outcome.error->message;
  EXPECT_THAT(outcome.Names(), ElementsAre("a", "b"));
  EXPECT_EQ(outcome.items[0]->At("/x").StringOr("").size(), big.size());
}

TEST(ListReaderTest, TheLastOfTwoListMetadataCounts) {
  const Outcome outcome =
      Read(R"({"metadata":{"resourceVersion":"1","continue":"c"},"items":[],"metadata":{"resourceVersion":"2"}})");
  EXPECT_EQ(outcome.meta.resource_version, "2");
  EXPECT_EQ(outcome.meta.continue_token, "");
}

}  // namespace
}  // namespace kinformer::internal
