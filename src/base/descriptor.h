#ifndef KINFORMER_SRC_BASE_DESCRIPTOR_H_
#define KINFORMER_SRC_BASE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace kinformer::internal {

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Descriptor() { Reset(); }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void Reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_DESCRIPTOR_H_
