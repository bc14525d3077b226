#include <kinformer/meta/status_error.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kinformer {
namespace {

Error ServerError(int http_status, std::string reason) {
  Error error;
  error.code = ErrorCode::kServer;
  error.http_status = http_status;
  error.reason = std::move(reason);
  return error;
}

struct Case {
  bool (*is)(const Error&);
  int http_status;
  const char* reason;
};

const std::vector<Case>& DecidedByReasonThenStatus() {
  static const std::vector<Case> cases = {
      {IsBadRequest, 400, "BadRequest"},
      {IsUnauthorized, 401, "Unauthorized"},
      {IsForbidden, 403, "Forbidden"},
      {IsNotFound, 404, "NotFound"},
      {IsMethodNotSupported, 405, "MethodNotAllowed"},
      {IsNotAcceptable, 406, "NotAcceptable"},
      {IsConflict, 409, "Conflict"},
      {IsGone, 410, "Gone"},
      {IsUnsupportedMediaType, 415, "UnsupportedMediaType"},
      {IsInvalid, 422, "Invalid"},
      {IsInternalError, 500, "InternalError"},
      {IsServiceUnavailable, 503, "ServiceUnavailable"},
      {IsTimeout, 504, "Timeout"},
  };
  return cases;
}

TEST(StatusErrorTest, TheReasonDecides) {
  for (const Case& c : DecidedByReasonThenStatus()) {
    EXPECT_TRUE(c.is(ServerError(c.http_status, c.reason))) << c.reason;
    EXPECT_TRUE(c.is(ServerError(0, c.reason))) << c.reason;
    EXPECT_FALSE(c.is(ServerError(c.http_status, "StorageReadError"))) << c.reason;
  }
}

TEST(StatusErrorTest, TheStatusDecidesWhereTheReasonIsUnknown) {
  for (const Case& c : DecidedByReasonThenStatus()) {
    EXPECT_TRUE(c.is(ServerError(c.http_status, ""))) << c.reason;
    EXPECT_TRUE(c.is(ServerError(c.http_status, "SomethingOfAWebhook"))) << c.reason;
    EXPECT_FALSE(c.is(ServerError(418, ""))) << c.reason;
    EXPECT_FALSE(c.is(Error{})) << c.reason;
  }
}

TEST(StatusErrorTest, WhatSharesAStatusIsToldApartByTheReasonAlone) {
  EXPECT_TRUE(IsAlreadyExists(ServerError(409, "AlreadyExists")));
  EXPECT_FALSE(IsConflict(ServerError(409, "AlreadyExists")));
  EXPECT_FALSE(IsAlreadyExists(ServerError(409, "")));

  EXPECT_TRUE(IsResourceExpired(ServerError(410, "Expired")));
  EXPECT_FALSE(IsGone(ServerError(410, "Expired")));
  EXPECT_FALSE(IsResourceExpired(ServerError(410, "")));
  EXPECT_TRUE(IsGone(ServerError(410, "")));

  EXPECT_TRUE(IsServerTimeout(ServerError(500, "ServerTimeout")));
  EXPECT_FALSE(IsInternalError(ServerError(500, "ServerTimeout")));
  EXPECT_FALSE(IsServerTimeout(ServerError(500, "")));
}

TEST(StatusErrorTest, TooManyAndTooLargeAreSeenByTheStatusWhateverTheReason) {
  EXPECT_TRUE(IsTooManyRequests(ServerError(429, "Timeout")));
  EXPECT_TRUE(IsTooManyRequests(ServerError(0, "TooManyRequests")));
  EXPECT_FALSE(IsTooManyRequests(ServerError(503, "")));
  EXPECT_TRUE(IsRequestEntityTooLarge(ServerError(413, "BadRequest")));
  EXPECT_TRUE(IsRequestEntityTooLarge(ServerError(0, "RequestEntityTooLarge")));
  EXPECT_FALSE(IsRequestEntityTooLarge(ServerError(400, "")));
}

TEST(StatusErrorTest, ATooLargeResourceVersionIsKnownByItsCause) {
  Error error = ServerError(504, "Timeout");
  EXPECT_FALSE(IsTooLargeResourceVersion(error));
  error.details.causes.push_back({"ResourceVersionTooLarge", "wait", ""});
  EXPECT_TRUE(IsTooLargeResourceVersion(error));
  EXPECT_TRUE(IsTimeout(error));
}

TEST(StatusErrorTest, ATooLargeResourceVersionIsKnownByTheWordsOfOldServers) {
  Error with_cause = ServerError(504, "Timeout");
  with_cause.details.causes.push_back({"", "Too large resource version", ""});
  EXPECT_TRUE(IsTooLargeResourceVersion(with_cause));

  Error with_message = ServerError(504, "Timeout");
  with_message.message = "list pods: Timeout: Too large resource version: 500, current: 400";
  EXPECT_TRUE(IsTooLargeResourceVersion(with_message));
}

TEST(StatusErrorTest, ANamespaceThatEndsIsKnownByItsCause) {
  Error error = ServerError(403, "Forbidden");
  EXPECT_FALSE(IsNamespaceTerminating(error));
  EXPECT_EQ(FindStatusCause(error, "NamespaceTerminating"), nullptr);
  error.details.causes.push_back({"NamespaceTerminating", "namespace x is being terminated", "metadata.namespace"});
  EXPECT_TRUE(IsNamespaceTerminating(error));
  ASSERT_NE(FindStatusCause(error, "NamespaceTerminating"), nullptr);
  EXPECT_EQ(FindStatusCause(error, "NamespaceTerminating")->field, "metadata.namespace");
  EXPECT_TRUE(HasStatusCause(error, "NamespaceTerminating"));
}

}  // namespace
}  // namespace kinformer
