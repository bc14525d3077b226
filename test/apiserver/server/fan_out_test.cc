#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/epoll.h>

#include <atomic>
#include <functional>

#include "test/apiserver/server/raw_client.h"
#include "test/apiserver/server/server_fixture.h"

namespace kinformer {
namespace {

/// A watch client that counts events and computes a digest of their lines, without chunk framing.
struct Watcher {
  std::unique_ptr<RawClient> client;
  std::size_t lines = 0;
  std::size_t digest = 0;
  std::string rest;
  std::string version;
  bool ended = false;

  void Watch(const std::string& token) {
    ended = false;
    client->Send("GET /api/v1/configmaps?watch=1&resourceVersion=" + version +
                 " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n\r\n");
  }

  void Take(std::string_view bytes, std::size_t keep) {
    // JSON lines start with a brace; chunk headers do not.
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      if (end == std::string_view::npos) {
        rest += bytes;
        return;
      }
      const std::string_view tail = bytes.substr(0, end);
      const bool whole = rest.empty();
      if (!whole) rest += tail;
      const std::string_view line = whole ? tail : std::string_view(rest);
      if (!line.empty() && line.front() == '{') {
        ++lines;
        constexpr std::string_view kVersion = "\"resourceVersion\":\"";
        const std::size_t at = line.find(kVersion) + kVersion.size();
        version = line.substr(at, line.find('"', at) - at);
        if (lines <= keep) digest = digest * 31 + std::hash<std::string_view>{}(line);
      }
      if (line == "0\r") ended = true;  // the last chunk
      rest.clear();
      bytes.remove_prefix(end + 1);
    }
  }
};

TEST_F(ServerTest, AllWatchersSeeTheSameEventsInTheSameOrder) {
  constexpr std::size_t kWatchers = 40;
  constexpr int kEvents = 100;
  StartServer();
  ASSERT_TRUE(ConfigMaps().Create(*ConfigMap("a")));
  const std::string version(ConfigMaps().Get({"default", "a"}).value()->ResourceVersion());

  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<Watcher> all(kWatchers);
  for (std::size_t i = 0; i < kWatchers; ++i) {
    all[i].client = std::make_unique<RawClient>(server_->Url(), context.get());
    all[i].version = version;
    all[i].Watch(server_->Token().Reveal());
    all[i].Take(all[i].client->Receive(), 0);  // the response head
    ::fcntl(all[i].client->fd(), F_SETFL, O_NONBLOCK);
    epoll_event wanted{.events = EPOLLIN, .data = {.u64 = i}};
    ASSERT_EQ(::epoll_ctl(epoll, EPOLL_CTL_ADD, all[i].client->fd(), &wanted), 0);
  }
  ASSERT_TRUE(Await([&] { return server_->WatchCount() == kWatchers; }));

  std::atomic<int> next = 0;
  std::vector<std::jthread> writers;
  for (int w = 0; w < 2; ++w) {
    writers.emplace_back([&] {
      const std::string padding(800, 'x');
      for (int e = next++; e < kEvents; e = next++) {
        const auto patched =
            ConfigMaps().Patch({"default", "a"}, PatchType::kMerge,
                               R"({"data":{"value":")" + std::to_string(e) + R"(","padding":")" + padding + R"("}})");
        EXPECT_TRUE(patched) << ToString(patched.error());
      }
    });
  }
  std::size_t done = 0;
  std::vector<char> buffer(std::size_t{64} * 1024);
  std::vector<epoll_event> ready(256);
  while (done < kWatchers) {
    const int count = ::epoll_wait(epoll, ready.data(), static_cast<int>(ready.size()), 20'000);
    ASSERT_GT(count, 0) << "silence; " << done << " of " << kWatchers << " have all, " << server_->WatchCount()
                        << " are served\n"
                        << Raw("/metrics").value().body;
    for (int i = 0; i < count; ++i) {
      Watcher& watcher = all[ready[static_cast<std::size_t>(i)].data.u64];
      const std::size_t before = watcher.lines;
      int got = 0;
      while ((got = SSL_read(watcher.client->ssl(), buffer.data(), static_cast<int>(buffer.size()))) > 0) {
        watcher.Take({buffer.data(), static_cast<std::size_t>(got)}, static_cast<std::size_t>(kEvents));
      }
      ASSERT_EQ(SSL_get_error(watcher.client->ssl(), got), SSL_ERROR_WANT_READ) << "a watch ended";
      // A watcher that is slow for too long is ended cleanly; it resumes without missing events.
      if (watcher.ended) watcher.Watch(server_->Token().Reveal());
      const auto wanted = static_cast<std::size_t>(kEvents);
      if (before < wanted && watcher.lines >= wanted) ++done;
    }
  }
  writers.clear();
  for (const Watcher& watcher : all) EXPECT_EQ(watcher.digest, all.front().digest);
  all.clear();
  ::close(epoll);
  EXPECT_TRUE(Await([&] { return server_->WatchCount() == 0; }));
}

TEST_F(ServerTest, ALongListIsCompleteAndInOrder) {
  constexpr int kObjects = 200;
  StartServer();
  const std::string padding(2000, 'x');
  std::string last;
  for (int i = 0; i < kObjects; ++i) {
    nlohmann::json pod = Pod("p" + std::to_string(100000 + i))->ToJson();
    pod["metadata"]["annotations"] = {{"padding", padding}};
    const auto created = Pods().Create(*Parsed(pod));
    ASSERT_TRUE(created.ok()) << ToString(created.error());
    last = std::string((*created)->ResourceVersion());
  }
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  RawClient client(server_->Url(), context.get());
  client.Send("GET /api/v1/pods?resourceVersion=" + last +
              " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " + server_->Token().Reveal() +
              "\r\n\r\n");
  const std::string answer = client.ReceiveAll();
  const auto list = nlohmann::json::parse(std::string_view(answer).substr(answer.find("\r\n\r\n") + 4), nullptr, false);
  ASSERT_FALSE(list.is_discarded());
  ASSERT_EQ(list["items"].size(), static_cast<std::size_t>(kObjects));
  for (std::size_t i = 0; i < list["items"].size(); ++i) {
    EXPECT_EQ(list["items"][i]["metadata"]["name"], "p" + std::to_string(100000 + i));
  }
}

}  // namespace
}  // namespace kinformer
