#include "src/http/event_loop.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace kinformer::apiserver {
namespace {

using namespace std::chrono_literals;

/// Calls a function whenever it is scheduled.
class Client : public LoopClient {
 public:
  explicit Client(std::function<void()> on_scheduled) : on_scheduled_(std::move(on_scheduled)) {}

  void OnReadable() override {}
  void OnWritable() override {}
  void OnScheduled() override { on_scheduled_(); }
  void OnTick(TimePoint /*now*/) override {}
  void OnStop() override {}
  void OnInterrupt() override {}

 private:
  const std::function<void()> on_scheduled_;
};

/// Waits until its socket is readable.
class Reader final : public Client {
 public:
  Reader(EventLoop& loop, int fd, std::function<void()> on_readable)
      : Client([this] { socket_.AwaitReadable(shared_from_this()); }),
        socket_(loop, fd),
        on_readable_(std::move(on_readable)) {}
  void OnReadable() override { on_readable_(); }
  void OnStop() override { socket_.Close(); }

 private:
  LoopSocket socket_;
  const std::function<void()> on_readable_;
};

class EventLoopTest : public ::testing::Test {
 protected:
  void TearDown() override {
    loop_.RequestStop();
    thread_.join();
  }

  /// A client that records its name.
  std::shared_ptr<Client> Named(const std::string& name) {
    return std::make_shared<Client>([this, name] { Note(name); });
  }
  void Note(const std::string& name) {
    const std::lock_guard lock(mutex_);
    called_.push_back(name);
  }
  /// Waits until the loop has run everything scheduled so far, then returns the calls up to now.
  std::vector<std::string> Called() {
    std::promise<void> reached;
    loop_.Schedule(std::make_shared<Client>([&] { reached.set_value(); }));
    EXPECT_EQ(reached.get_future().wait_for(10s), std::future_status::ready);
    const std::lock_guard lock(mutex_);
    return called_;
  }
  static std::ptrdiff_t PlaceOf(const std::vector<std::string>& called, const std::string& name) {
    return std::find(called.begin(), called.end(), name) - called.begin();
  }
  /// Blocks the loop until the returned promise is set.
  std::promise<void> Block() {
    std::promise<void> go;
    std::promise<void> blocked;
    loop_.Schedule(std::make_shared<Client>([&blocked, wait = go.get_future().share()] {
      blocked.set_value();
      wait.wait();
    }));
    blocked.get_future().wait();
    return go;
  }

  EventLoop loop_{100ms};
  std::mutex mutex_;
  std::vector<std::string> called_;
  std::thread thread_{[this] { loop_.Run(); }};
};

TEST_F(EventLoopTest, ABurstIsCalledInItsOrder) {
  std::promise<void> go = Block();
  std::vector<std::string> expected;
  for (int i = 0; i < 200; ++i) {
    expected.push_back(std::to_string(i));
    loop_.Schedule(Named(expected.back()));
  }
  go.set_value();
  EXPECT_EQ(Called(), expected);
}

TEST_F(EventLoopTest, WhoIsFirstComesBeforeABurst) {
  std::promise<void> go = Block();
  for (int i = 0; i < 200; ++i) loop_.Schedule(Named(std::to_string(i)));
  loop_.ScheduleFirst(Named("answer"));
  go.set_value();
  const std::vector<std::string> called = Called();
  ASSERT_EQ(called.size(), 201U);
  EXPECT_EQ(called.front(), "answer");
}

TEST_F(EventLoopTest, WhoIsFirstDoesNotWaitForABurstThatIsUnderWay) {
  std::promise<void> go = Block();
  loop_.Schedule(std::make_shared<Client>([this] { loop_.ScheduleFirst(Named("answer")); }));
  for (int i = 0; i < 200; ++i) loop_.Schedule(Named(std::to_string(i)));
  go.set_value();
  const std::vector<std::string> called = Called();
  ASSERT_EQ(called.size(), 201U);
  EXPECT_LT(PlaceOf(called, "answer"), 100);
}

TEST_F(EventLoopTest, SocketsHaveTheirTurnDuringABurst) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  loop_.Add(std::make_shared<Reader>(loop_, pair[0], [this] { Note("readable"); }));
  std::promise<void> go = Block();
  loop_.Schedule(std::make_shared<Client>([&] { EXPECT_EQ(::write(pair[1], "x", 1), 1); }));
  for (int i = 0; i < 200; ++i) loop_.Schedule(Named(std::to_string(i)));
  go.set_value();
  const std::vector<std::string> called = Called();
  ASSERT_EQ(called.size(), 201U);
  EXPECT_LT(PlaceOf(called, "readable"), 100);
  ::close(pair[1]);
}

TEST_F(EventLoopTest, AfterOneThatThrowsTheOthersAreCalled) {
  for (const int throws_at : {0, 31, 32, 97, 99}) {
    std::promise<void> go = Block();
    called_.clear();
    for (int i = 0; i < 100; ++i) {
      const auto client =
          i == throws_at ? std::make_shared<Client>([] { throw std::bad_alloc(); }) : Named(std::to_string(i));
      loop_.Schedule(client);
      loop_.ScheduleFirst(client);
    }
    go.set_value();
    EXPECT_EQ(Called().size(), 198U) << throws_at;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
