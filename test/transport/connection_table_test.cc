#include "src/transport/connection_table.h"

#include <memory>

#include <gtest/gtest.h>

#include "test/support/fd.h"

namespace kinformer::internal {
namespace {

// Not an open descriptor: the table itself does nothing with sockets.
constexpr int kSocket = 100'000;

Error Silent() { return Error{.code = ErrorCode::kDisconnected, .message = "silent"}; }

TEST(ConnectionTableTest, CountsAndForgetsConnections) {
  ConnectionTable table;
  const auto first = table.Open(kSocket);
  const auto second = table.Open(kSocket + 1);
  EXPECT_NE(first, 0U);
  EXPECT_NE(first, second);
  EXPECT_EQ(table.open(), 2U);
  EXPECT_EQ(table.Close(kSocket), first);
  EXPECT_EQ(table.Close(kSocket), 0U);
  EXPECT_EQ(table.Find(first), nullptr);
  ASSERT_NE(table.Find(second), nullptr);
  EXPECT_EQ(table.Find(second)->socket, kSocket + 1);
  EXPECT_EQ(table.open(), 1U);
  EXPECT_EQ(table.opened(), 2U);
  EXPECT_NE(table.Open(kSocket), first) << "the same descriptor again is another connection";
}

TEST(ConnectionTableTest, IsFoundByItsLocalPort) {
  const testing_support::Fd listener = testing_support::ListenOnLoopback();
  ConnectionTable table;
  table.Open(kSocket);
  const auto id = table.Open(listener.get());
  EXPECT_EQ(table.FindByLocalPort(testing_support::LocalPort(listener.get())), id);
  EXPECT_EQ(table.FindByLocalPort(1), 0U);
}

TEST(ConnectionTableTest, CanBeSharedOnceItHasCarriedARequestWithTheSameTls) {
  const auto tls = std::make_shared<const TlsMaterial>();
  ConnectionTable table;
  const auto id = table.Open(kSocket);
  EXPECT_FALSE(table.IsUsedWith(nullptr)) << "it is not established";
  EXPECT_TRUE(table.Use(id, tls));
  EXPECT_FALSE(table.Use(id, tls)) << "not the first request";
  EXPECT_TRUE(table.IsUsedWith(tls));
  EXPECT_FALSE(table.IsUsedWith(std::make_shared<const TlsMaterial>()));
  table.Close(kSocket);
  EXPECT_FALSE(table.IsUsedWith(tls));
}

TEST(ConnectionTableTest, SaysWhyAConnectionWasEndedAlsoAfterItIsClosed) {
  ConnectionTable table;
  const auto id = table.Open(kSocket);
  const auto other = table.Open(kSocket + 1);
  EXPECT_EQ(table.LostError(id), std::nullopt);
  table.SetLost(id, Silent());
  ASSERT_TRUE(table.LostError(id));
  table.Close(kSocket);
  table.Close(kSocket + 1);
  ASSERT_TRUE(table.LostError(id));
  EXPECT_EQ(table.LostError(id)->message, "silent");
  EXPECT_EQ(table.LostError(other), std::nullopt);
  EXPECT_EQ(table.LostError(0), std::nullopt);
  for (int i = 0; i < 16; ++i) {
    table.SetLost(table.Open(kSocket), Silent());
    table.Close(kSocket);
  }
  EXPECT_EQ(table.LostError(id), std::nullopt) << "only the latest are kept";
}

}  // namespace
}  // namespace kinformer::internal
