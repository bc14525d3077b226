#include "src/transport/exchange.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace kinformer::internal {
namespace {

std::string TakeChunk(Exchange& exchange, bool* resume = nullptr) {
  auto taken = exchange.TryNext();
  EXPECT_TRUE(taken.ok());
  if (!taken || !taken->part) return "";
  if (resume != nullptr) *resume = taken->resume;
  return std::get<std::string>(*taken->part);
}

TEST(ExchangeTest, HandsPartsOverInOrderThenTheEnd) {
  Exchange exchange(1024);
  exchange.PushHead({.status = 200});
  EXPECT_TRUE(exchange.PushBody("abc"));
  EXPECT_TRUE(exchange.PushBody("def"));
  exchange.Finish({});
  auto head = exchange.TryNext();
  EXPECT_EQ(std::get<ResponseHead>(*head->part).status, 200);
  EXPECT_EQ(TakeChunk(exchange), "abcdef") << "small pieces are joined";
  EXPECT_TRUE(std::holds_alternative<ResponseEnd>(*exchange.TryNext()->part));
}

TEST(ExchangeTest, HasNothingUntilSomethingArrives) {
  Exchange exchange(1024);
  EXPECT_FALSE(exchange.TryNext()->part);
}

TEST(ExchangeTest, AnErrorComesAfterWhatHadArrivedBefore) {
  Exchange exchange(1024);
  exchange.PushBody("abc");
  exchange.Finish(Error{.code = ErrorCode::kDisconnected, .message = "cut"});
  EXPECT_EQ(TakeChunk(exchange), "abc");
  const auto end = exchange.TryNext();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().message, "cut");
}

TEST(ExchangeTest, RefusesWhatDoesNotFitAndAsksForMoreAtHalf) {
  Exchange exchange(200'000);
  const std::string chunk(60'000, 'x');
  EXPECT_TRUE(exchange.PushBody(chunk));
  EXPECT_TRUE(exchange.PushBody(chunk));
  EXPECT_TRUE(exchange.PushBody(chunk));
  EXPECT_FALSE(exchange.PushBody(chunk));
  bool resume = false;
  TakeChunk(exchange, &resume);
  EXPECT_FALSE(resume) << "120,000 of 200,000 still wait";
  TakeChunk(exchange, &resume);
  EXPECT_TRUE(resume);
  TakeChunk(exchange, &resume);
  EXPECT_FALSE(resume) << "asked once";
}

TEST(ExchangeTest, TakesASingleChunkHoweverLarge) {
  Exchange exchange(10);
  EXPECT_TRUE(exchange.PushBody(std::string(1'000, 'x')));
  EXPECT_FALSE(exchange.PushBody("y"));
}

TEST(ExchangeTest, NotifiesOnceWhenSomethingArrives) {
  Exchange exchange(1024);
  int calls = 0;
  exchange.NotifyWhenReady([&] { ++calls; });
  EXPECT_EQ(calls, 0);
  exchange.PushBody("a");
  exchange.PushBody("b");
  EXPECT_EQ(calls, 1);
}

TEST(ExchangeTest, NotifiesAtOnceWhenSomethingIsThere) {
  Exchange exchange(1024);
  exchange.Finish({});
  int calls = 0;
  exchange.NotifyWhenReady([&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(ExchangeTest, ANotificationMayAskForTheNextOneAndMayLetGoOfTheExchange) {
  auto exchange = std::make_shared<Exchange>(100);
  int first = 0;
  int second = 0;
  exchange->NotifyWhenReady([&] {
    ++first;
    exchange->NotifyWhenReady(nullptr);
    (void)exchange->TryNext();
    exchange->NotifyWhenReady([&] { ++second; });
  });
  exchange->PushBody("a");
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0);
  exchange->PushBody("b");
  EXPECT_EQ(second, 1);
  // Called synchronously on this thread; it drops the last reference from inside the call.
  exchange->NotifyWhenReady([&] { exchange = nullptr; });
  EXPECT_EQ(exchange, nullptr);
}

TEST(ExchangeTest, ReplacingANotificationWaitsForTheOneThatRuns) {
  Exchange exchange(100);
  std::promise<void> entered;
  std::promise<void> leave;
  std::atomic<bool> left = false;
  exchange.NotifyWhenReady([&] {
    entered.set_value();
    leave.get_future().wait();
    left = true;
  });
  std::jthread io([&] { exchange.PushBody("a"); });
  entered.get_future().wait();
  std::jthread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    leave.set_value();
  });
  exchange.NotifyWhenReady(nullptr);
  EXPECT_TRUE(left);
}

TEST(ExchangeTest, AReplacedNotificationIsNotCalled) {
  Exchange exchange(1024);
  int first = 0;
  int second = 0;
  exchange.NotifyWhenReady([&] { ++first; });
  exchange.NotifyWhenReady([&] { ++second; });
  exchange.PushBody("a");
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
}

TEST(ExchangeTest, AChunkThatIsGivenBackServesTheNext) {
  Exchange exchange(1U << 20U);
  const std::string large(60'000, 'x');
  ASSERT_TRUE(exchange.PushBody(large));
  auto first = exchange.TryNext();
  auto& chunk = std::get<std::string>(*first->part);
  const char* const memory = chunk.data();
  exchange.Recycle(std::move(chunk));
  ASSERT_TRUE(exchange.PushBody("short"));
  auto second = exchange.TryNext();
  auto& next = std::get<std::string>(*second->part);
  EXPECT_EQ(next, "short");
  EXPECT_EQ(next.data(), memory);
}

TEST(ExchangeTest, AStreamThatHasBecomeQuietKeepsNoMemory) {
  Exchange exchange(1U << 20U);
  std::string chunk(60'000, 'x');
  chunk.resize(5);
  exchange.Recycle(std::move(chunk));
  ASSERT_TRUE(exchange.PushBody("event"));
  auto taken = exchange.TryNext();
  EXPECT_LT(std::get<std::string>(*taken->part).capacity(), 100U);
}

}  // namespace
}  // namespace kinformer::internal
