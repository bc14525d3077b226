#ifndef KINFORMER_TEST_SUPPORT_FD_H_
#define KINFORMER_TEST_SUPPORT_FD_H_

#include <chrono>
#include <cstdint>
#include <utility>

namespace kinformer::testing_support {

/// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { Reset(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void Reset();

 private:
  int fd_ = -1;
};

/// Wakes a poll: readable after Set until Clear. Thread-safe.
class WakeFd {
 public:
  WakeFd();
  int get() const { return fd_.get(); }
  void Set() const;
  void Clear() const;

 private:
  Fd fd_;
};

/// A non-blocking TCP socket listening on 127.0.0.1. Port 0: any free port. Throws std::system_error.
Fd ListenOnLoopback(std::uint16_t port = 0);
/// The port that a socket is bound to.
std::uint16_t LocalPort(int fd);
/// Makes closing the socket send RST instead of FIN.
void ResetOnClose(int fd);
/// The timeout for poll() in milliseconds, rounded up; -1 for no limit, 0 if the deadline has passed.
int PollTimeout(std::chrono::steady_clock::time_point deadline);

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_FD_H_
