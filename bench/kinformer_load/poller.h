#ifndef KINFORMER_BENCH_KINFORMER_LOAD_POLLER_H_
#define KINFORMER_BENCH_KINFORMER_LOAD_POLLER_H_

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kinformer::bench {

/// Reports which of many sockets are ready, identified by a number their owner chose.
class Poller {
 public:
  Poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}
  ~Poller() { ::close(epoll_); }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  void Add(int fd, std::size_t number, bool write) { Control(EPOLL_CTL_ADD, fd, number, write); }
  void Change(int fd, std::size_t number, bool write) { Control(EPOLL_CTL_MOD, fd, number, write); }

  /// Empty on timeout.
  std::span<const epoll_event> Wait(std::chrono::milliseconds time) {
    const int count =
        ::epoll_wait(epoll_, ready_.data(), static_cast<int>(ready_.size()), static_cast<int>(time.count()));
    return {ready_.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
  }

 private:
  void Control(int operation, int fd, std::size_t number, bool write) const {
    epoll_event event{.events = EPOLLIN | (write ? static_cast<std::uint32_t>(EPOLLOUT) : 0U), .data = {.u64 = number}};
    ::epoll_ctl(epoll_, operation, fd, &event);
  }

  const int epoll_;
  std::array<epoll_event, 256> ready_{};
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_KINFORMER_LOAD_POLLER_H_
