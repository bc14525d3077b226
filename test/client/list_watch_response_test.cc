// The responses to lists and watches, read from an in-memory stream.

#include "src/client/list_watch_response.h"

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

using ::testing::HasSubstr;

/// Has these parts, then nothing; or an error after them.
class PartStream final : public ResponseStream {
 public:
  explicit PartStream(std::deque<Result<ResponsePart>> parts) : parts_(std::move(parts)) {}

  Result<std::optional<ResponsePart>> TryNext() override {
    if (parts_.empty()) return std::optional<ResponsePart>();
    Result<ResponsePart> part = std::move(parts_.front());
    parts_.pop_front();
    if (!part) return std::move(part).error();
    return std::optional<ResponsePart>(*std::move(part));
  }
  void NotifyWhenReady(std::function<void()> ready) override {
    if (ready && !parts_.empty()) ready();
  }

 private:
  std::deque<Result<ResponsePart>> parts_;
};

std::unique_ptr<ResponseStream> Parts(std::deque<Result<ResponsePart>> parts) {
  return std::make_unique<PartStream>(std::move(parts));
}

ResponseContext Context(std::string action) {
  return {.object = {.default_gvk = {"", "v1", "Pod"}},
          .action = std::move(action),
          .redactor = std::make_shared<const Redactor>()};
}

std::string Event(const std::string& name) {
  return R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
         R"(","resourceVersion":"1"}}})";
}

template <typename Stream>
bool IsReady(Stream& stream) {
  bool ready = false;
  stream.NotifyWhenReady([&] { ready = true; });
  stream.NotifyWhenReady(nullptr);
  return ready;
}

TEST(HttpListStreamTest, ItemsBeforeAnErrorAreDeliveredFirst) {
  HttpListStream list(Parts({ResponseHead{.status = 200},
                             R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},x)"}),
                      Context("listing pods"));
  const auto items = list.TryNext();
  ASSERT_TRUE(items.ok()) << ToString(items.error());
  EXPECT_EQ(std::get<std::vector<ObjectPtr>>(**items).at(0)->Name(), "a");
  EXPECT_TRUE(IsReady(list)) << "the error";
  for (int i = 0; i < 2; ++i) {
    const auto error = list.TryNext();
    ASSERT_FALSE(error.ok());
    EXPECT_EQ(error.error().code, ErrorCode::kMalformed);
    EXPECT_THAT(error.error().message, HasSubstr("listing pods: "));
  }
}

TEST(HttpWatchStreamTest, EventsBeforeAnErrorAreDeliveredFirstAndTheErrorStays) {
  HttpWatchStream watch(Parts({Event("a") + "\n" + Event("b") + "\n{\n", ResponseEnd{}}), Context("watching pods"));
  const auto events = watch.TryNext();
  ASSERT_TRUE(events.ok()) << ToString(events.error());
  EXPECT_EQ(std::get<std::vector<WatchEvent>>(**events).size(), 2U);
  EXPECT_TRUE(IsReady(watch));
  for (int i = 0; i < 2; ++i) {
    const auto error = watch.TryNext();
    ASSERT_FALSE(error.ok());
    EXPECT_EQ(error.error().code, ErrorCode::kMalformed);
    EXPECT_THAT(error.error().message, HasSubstr("watching pods: "));
  }
}

TEST(HttpWatchStreamTest, AConnectionThatBreaksStaysBroken) {
  HttpWatchStream watch(Parts({Error{.code = ErrorCode::kDisconnected, .message = "reset"}}), Context("watching pods"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(watch.TryNext().error().message, "watching pods: reset");
}

TEST(HttpWatchStreamTest, TheHeadIsAnEmptyPartAndTheLastLineMayLackItsNewline) {
  HttpWatchStream watch(Parts({ResponseHead{.status = 200}, Event("a"), ResponseEnd{}}), Context("watching pods"));
  EXPECT_TRUE(std::get<std::vector<WatchEvent>>(*watch.TryNext().value()).empty());
  EXPECT_EQ(std::get<std::vector<WatchEvent>>(*watch.TryNext().value()).size(), 1U);
  EXPECT_TRUE(std::holds_alternative<WatchEnd>(*watch.TryNext().value()));
  EXPECT_TRUE(std::holds_alternative<WatchEnd>(*watch.TryNext().value()));
}

TEST(HttpWatchStreamTest, AnEndInTheMiddleOfAnEventIsABrokenConnection) {
  HttpWatchStream watch(Parts({R"({"type":"AD)", ResponseEnd{}}), Context("watching pods"));
  const auto end = watch.TryNext();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::kDisconnected);
  EXPECT_EQ(end.error().message, "watching pods: the watch ended in the middle of an event, after 11 bytes of it");
}

}  // namespace
}  // namespace kinformer::internal
