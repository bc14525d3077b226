#include "src/client/rest_client.h"

#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kinformer/base/fake_clock.h>

#include "src/client/retry_policy.h"
#include "test/client/fake_transport.h"

namespace kinformer::internal {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Error kReset{.code = ErrorCode::kDisconnected, .message = "connection reset"};

class RestClientTest : public ::testing::Test {
 protected:
  void Make(RestClientOptions options = {}) {
    options.clock = clock_;
    options.logger = Logger([this](const LogRecord& record) {
      const MutexLock lock(log_mutex_);
      std::string line(record.message);
      for (const LogField& field : record.fields) line += " " + field.value;
      log_.push_back(std::move(line));
    });
    rest_ = std::make_unique<RestClient>(transport_, nullptr, std::move(options));
  }

  std::future<Result<WholeResponse>> Call(Request request, const std::stop_token& stop = {}) {
    return std::async(std::launch::async,
                      [this, request = std::move(request), stop] { return rest_->Call(request, stop); });
  }

  std::vector<std::string> Log() {
    const MutexLock lock(log_mutex_);
    return log_;
  }

  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  const std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  std::unique_ptr<RestClient> rest_;
  Mutex log_mutex_;
  std::vector<std::string> log_;
};

TEST_F(RestClientTest, RetryAfterIsObeyedForTooManyRequestsAndServerErrorsAndTheBodyIsSentAgainIntact) {
  for (const int status : {429, 500, 503}) {
    Make();
    transport_->Enqueue({.status = status, .headers = {{"Retry-After", "7"}}});
    transport_->Enqueue({.status = 201, .body = "done"});
    auto call = Call({.method = "POST", .target = "/x", .body = "the body"});
    clock_->AwaitWaiters(1);
    EXPECT_EQ(clock_->NextDeadline(), clock_->Now() + 7s);
    clock_->Advance(7s);
    const auto response = call.get();
    ASSERT_TRUE(response.ok()) << ToString(response.error());
    EXPECT_EQ(response->body, "done");
    const auto requests = transport_->Requests();
    EXPECT_EQ(requests.back().body, "the body");
    EXPECT_EQ(requests[requests.size() - 2].body, "the body");
  }
}

TEST_F(RestClientTest, WithoutAWholeNumberInRetryAfterThereIsNoRetry) {
  Make();
  for (const auto& headers : std::vector<std::vector<Header>>{
           {}, {{"Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"}}, {{"Retry-After", "1.5"}}, {{"Retry-After", "-1"}}}) {
    transport_->Enqueue({.status = 503, .headers = headers});
    const auto response = rest_->Call({.target = "/x"}, {});
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().http_status, 503);
  }
  EXPECT_EQ(transport_->Requests().size(), 4U);
}

TEST_F(RestClientTest, OtherRefusalsAreNotRetriedEvenWithRetryAfter) {
  Make();
  transport_->Enqueue({.status = 409, .headers = {{"Retry-After", "1"}}});
  const auto response = rest_->Call({.method = "PUT", .target = "/x"}, {});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().http_status, 409);
  EXPECT_EQ(response.error().retry_after, 1s);
}

TEST_F(RestClientTest, AGetIsSentAgainASecondAfterTheConnectionBroke) {
  Make();
  transport_->Enqueue({.error = kReset});
  transport_->Enqueue({.body = "ok"});
  auto call = Call({.target = "/x"});
  clock_->AwaitWaiters(1);
  EXPECT_EQ(clock_->NextDeadline(), clock_->Now() + 1s);
  clock_->Advance(1s);
  EXPECT_EQ(call.get()->body, "ok");
}

TEST_F(RestClientTest, AWriteIsNotSentAgainWhenTheConnectionBroke) {
  Make();
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    transport_->Enqueue({.error = kReset});
    EXPECT_FALSE(rest_->Call({.method = method, .target = "/x"}, {}).ok());
  }
  EXPECT_EQ(transport_->Requests().size(), 4U);
}

TEST_F(RestClientTest, WhatCannotBeReachedIsNotRetried) {
  Make();
  transport_->Enqueue({.error = Error{.code = ErrorCode::kUnreachable, .message = "refused"}});
  EXPECT_EQ(rest_->Call({.target = "/x"}, {}).error().code, ErrorCode::kUnreachable);
}

TEST_F(RestClientTest, TenRetriesThenTheLastError) {
  Make();
  for (int i = 0; i < 12; ++i) transport_->Enqueue({.status = 429, .headers = {{"Retry-After", "1"}}});
  auto call = Call({.target = "/x"});
  for (int i = 0; i < 10; ++i) {
    clock_->AwaitWaiters(1);
    clock_->Advance(1s);
  }
  const auto response = call.get();
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().http_status, 429);
  EXPECT_EQ(transport_->Requests().size(), 11U);
}

TEST_F(RestClientTest, AStopEndsTheWaitForARetryAndTellsWhatItWaitedFor) {
  Make();
  transport_->Enqueue({.status = 503, .headers = {{"Retry-After", "300"}}, .body = "overloaded"});
  std::stop_source stop;
  auto call = Call({.target = "/x"}, stop.get_token());
  clock_->AwaitWaiters(1);
  stop.request_stop();
  const auto response = call.get();
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(response.error().message, HasSubstr("503"));
}

TEST_F(RestClientTest, ATimeoutBoundsTheCallWithItsRetries) {
  Make();
  transport_->Enqueue({.status = 503, .headers = {{"Retry-After", "4"}}});
  transport_->Enqueue({.status = 503, .headers = {{"Retry-After", "60"}}});
  auto call = Call({.target = "/x", .timeout = 10s});
  clock_->AwaitWaiters(1);
  clock_->Advance(4s);
  const auto response = call.get();
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().http_status, 503) << "a wait that cannot end in time is not begun";
  EXPECT_EQ(transport_->Requests()[1].timeout, 6s) << "what is left for the second attempt";
}

TEST_F(RestClientTest, NothingIsLimitedByDefault) {
  Make();
  for (int i = 0; i < 100; ++i) {
    transport_->Enqueue({});
    ASSERT_TRUE(rest_->Call({.target = "/x"}, {}).ok());
  }
}

TEST_F(RestClientTest, ARateLimitDelaysWhatComesAfterTheBurst) {
  Make({.qps = 2, .burst = 2});
  for (int i = 0; i < 3; ++i) transport_->Enqueue({});
  EXPECT_TRUE(rest_->Call({.target = "/1"}, {}).ok());
  EXPECT_TRUE(rest_->Call({.target = "/2"}, {}).ok());
  auto third = Call({.target = "/3"});
  clock_->AwaitWaiters(1);
  EXPECT_EQ(transport_->Requests().size(), 2U);
  clock_->Advance(500ms);
  EXPECT_TRUE(third.get().ok());
}

TEST_F(RestClientTest, TheFirstAttemptOfAWatchIsNotLimitedAndItsRetriesAre) {
  Make({.qps = 0.1, .burst = 1});
  transport_->Enqueue({});
  ASSERT_TRUE(rest_->Call({.target = "/takes-the-token"}, {}).ok());
  transport_->Enqueue({});
  ASSERT_TRUE(rest_->Open({.target = "/watch", .resumable = true}, {}).ok()) << "at once";

  transport_->Enqueue({.status = 429, .headers = {{"Retry-After", "0"}}});
  transport_->Enqueue({});
  auto watch = std::async(std::launch::async, [this] { return rest_->Open({.target = "/w", .resumable = true}, {}); });
  clock_->AwaitWaiters(1);
  EXPECT_EQ(transport_->Requests().size(), 3U);
  clock_->Advance(10s);
  EXPECT_TRUE(watch.get().ok());
}

TEST_F(RestClientTest, WarningHeadersAreLogged) {
  Make();
  transport_->Enqueue(
      {.headers = {{"Warning", R"(299 - "v1beta1 Thing is deprecated, use \"v1\"", 299 - "second")"}, {"X", "y"}}});
  ASSERT_TRUE(rest_->Call({.target = "/x"}, {}).ok());
  EXPECT_THAT(Log(), ElementsAre(HasSubstr("v1beta1 Thing is deprecated, use \"v1\""), HasSubstr("second")));
}

TEST_F(RestClientTest, GzipIsAskedForOnlyOnRequestAndNeverForAWatch) {
  Make();
  transport_->Enqueue({});
  ASSERT_TRUE(rest_->Call({.target = "/x"}, {}).ok());
  EXPECT_FALSE(FindHeader(transport_->Requests().back().headers, "Accept-Encoding"));
  Make({.compression = true});
  transport_->Enqueue({});
  ASSERT_TRUE(rest_->Call({.target = "/x"}, {}).ok());
  EXPECT_EQ(FindHeader(transport_->Requests().back().headers, "Accept-Encoding"), "gzip");
  transport_->Enqueue({});
  ASSERT_TRUE(rest_->Open({.target = "/x", .resumable = true}, {}).ok());
  EXPECT_FALSE(FindHeader(transport_->Requests().back().headers, "Accept-Encoding"));
}

TEST_F(RestClientTest, ARedirectIsAnErrorThatAsksForTheRightUrl) {
  Make();
  transport_->Enqueue({.status = 301, .headers = {{"Location", "https://elsewhere"}}});
  const auto response = rest_->Call({.target = "/x"}, {});
  ASSERT_FALSE(response.ok());
  EXPECT_THAT(response.error().message, HasSubstr("URL"));
}

TEST_F(RestClientTest, AnAnswerThatIsTooLargeIsAnError) {
  Make({.max_response_bytes = 10});
  transport_->Enqueue({.body = std::string(11, 'x')});
  EXPECT_EQ(rest_->Call({.target = "/x"}, {}).error().code, ErrorCode::kTooLarge);
}

TEST(RetryPolicyTest, AWatchIsAlsoRetriedWhenItsBeginningTimedOut) {
  const Error timeout{.code = ErrorCode::kDeadlineExceeded};
  EXPECT_EQ(RetryDelay({.method = "GET", .is_watch = true, .error = &timeout, .retry_after_header = {}}), 1s);
  EXPECT_FALSE(RetryDelay({.method = "GET", .is_watch = false, .error = &timeout, .retry_after_header = {}}));
}

}  // namespace
}  // namespace kinformer::internal
