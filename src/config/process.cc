#include "src/config/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <thread>
#include <utility>

#include "src/base/descriptor.h"

namespace kinformer::internal {
namespace {

Error ProcessError(int number) {
  return {.code = ErrorCode::kUnreachable, .message = std::generic_category().message(number)};
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// Both ends get descriptors above 2, even if the host closed its standard ones: the child uses dup2 onto 1 and 2.
Result<Pipe> MakePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return ProcessError(errno);
  Descriptor low_read(ends[0]);
  Descriptor low_write(ends[1]);
  Pipe pipe{Descriptor(::fcntl(ends[0], F_DUPFD_CLOEXEC, 3)), Descriptor(::fcntl(ends[1], F_DUPFD_CLOEXEC, 3))};
  if (!pipe.read.open() || !pipe.write.open()) return ProcessError(errno);
  if (::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK) != 0) return ProcessError(errno);
  return pipe;
}

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (const std::string& text : strings) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// Returns 0, or an errno.
int Spawn(const ProcessSpec& spec, int out_fd, int err_fd, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (const int failed = ::posix_spawn_file_actions_init(&actions); failed != 0) return failed;
  if (const int failed = ::posix_spawnattr_init(&attributes); failed != 0) {
    ::posix_spawn_file_actions_destroy(&actions);
    return failed;
  }
  int failed = 0;
  const auto check = [&failed](int result) { failed = failed != 0 ? failed : result; };
  check(::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0));
  check(::posix_spawn_file_actions_adddup2(&actions, out_fd, 1));
  check(::posix_spawn_file_actions_adddup2(&actions, err_fd, 2));
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  // The plugin must not inherit descriptors the host process left inheritable.
  check(::posix_spawn_file_actions_addclosefrom_np(&actions, 3));
#endif
  // The host may ignore SIGPIPE or block signals; the child starts with default dispositions and no mask.
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  check(::posix_spawnattr_setsigmask(&attributes, &none));
  check(::posix_spawnattr_setsigdefault(&attributes, &all));
  check(::posix_spawnattr_setpgroup(&attributes, 0));
  check(
      ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  if (failed == 0) {
    failed = ::posix_spawn(&pid, spec.path.c_str(), &actions, &attributes, Pointers(spec.argv).data(),
                           Pointers(spec.environment).data());
  }
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return failed;
}

/// A running child process. The destructor kills its process group and reaps it, unless already reaped.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {
#ifdef SYS_pidfd_open
    pidfd_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
#endif
  }
  ~Child() {
    if (reaped_) return;
    ::kill(-pid_, SIGKILL);
    Wait(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Readable once the child has exited; -1 if the kernel has no pidfd.
  int EndDescriptor() const { return pidfd_.get(); }

  /// True once the child has exited.
  bool TryReap() {
    if (!reaped_) Wait(WNOHANG);
    return reaped_;
  }
  int status() const { return status_; }

 private:
  void Wait(int flags) {
    pid_t result = 0;
    do {
      result = ::waitpid(pid_, &status_, flags);
    } while (result < 0 && errno == EINTR);
    // ECHILD: the host ignores SIGCHLD or already reaped the child. It has exited, with unknown status.
    if (result < 0) status_ = 0;
    if (result != 0) reaped_ = true;
  }

  const pid_t pid_;
  Descriptor pidfd_;
  int status_ = 0;
  bool reaped_ = false;
};

/// Reads the available data. False at end of file or on an error.
template <typename Take>
bool Drain(int fd, Take take) {
  std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count > 0) {
      if (!take(buffer.data(), static_cast<std::size_t>(count))) return true;
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

bool IsExecutableFile(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<ProcessResult> RunProcess(const ProcessSpec& spec, const Clock& clock, const std::stop_token& stop) {
  if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped"};
  const TimePoint deadline = clock.After(spec.timeout);

  auto out = MakePipe();
  if (!out) return std::move(out).error();
  auto err = MakePipe();
  if (!err) return std::move(err).error();
  const Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.open()) return ProcessError(errno);

  pid_t pid = -1;
  if (const int failed = Spawn(spec, out->write.get(), err->write.get(), pid); failed != 0) return ProcessError(failed);
  Child child(pid);
  out->write.Reset();
  err->write.Reset();

  const auto poke = [fd = wake.get()] {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(fd, &one, sizeof one);
  };
  const std::stop_callback on_stop(stop, poke);
  // poll() does not know fake clocks, so a thread waits for the deadline. It is joined before this function returns.
  const std::jthread timer([&clock, deadline, poke](const std::stop_token& done) {
    if (clock.SleepUntil(deadline, done)) poke();
  });

  ProcessResult result;
  bool too_large = false;
  const auto take_out = [&](const char* data, std::size_t size) {
    too_large = too_large || result.out.size() + size > spec.max_stdout;
    if (!too_large) result.out.append(data, size);
    return !too_large;
  };
  const auto take_err = [&](const char* data, std::size_t size) {
    result.err.append(data, size);
    if (result.err.size() > spec.max_stderr) result.err.erase(0, result.err.size() - spec.max_stderr);
    // Return after each read: a program that writes without pause must not prevent the deadline check.
    return false;
  };

  while (!child.TryReap()) {
    if (stop.stop_requested()) return Error{.code = ErrorCode::kCancelled, .message = "stopped"};
    if (clock.Now() >= deadline) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(spec.timeout).count();
      return Error{.code = ErrorCode::kDeadlineExceeded,
                   .message = "timed out after " + std::to_string(seconds) + " s"};
    }
    std::array<pollfd, 4> watched = {pollfd{wake.get(), POLLIN, 0}, pollfd{out->read.get(), POLLIN, 0},
                                     pollfd{err->read.get(), POLLIN, 0}, pollfd{child.EndDescriptor(), POLLIN, 0}};
    constexpr int kLookAgainMs = 5;  // if the exit cannot be polled for
    ::poll(watched.data(), watched.size(), child.EndDescriptor() >= 0 ? -1 : kLookAgainMs);
    if (watched[1].revents != 0 && !Drain(out->read.get(), take_out)) out->read.Reset();
    if (watched[2].revents != 0 && !Drain(err->read.get(), take_err)) err->read.Reset();
    if (too_large) break;
  }
  if (!too_large && out->read.open()) Drain(out->read.get(), take_out);
  if (too_large) {
    return Error{.code = ErrorCode::kTooLarge,
                 .message = "wrote more than " + std::to_string(spec.max_stdout) + " bytes"};
  }
  // Output written before the exit is still in the pipe, which holds at most this much.
  constexpr std::size_t kPipeCapacity = std::size_t{1} << 20;
  std::size_t drained = 0;
  const auto take_rest = [&](const char* data, std::size_t size) {
    take_err(data, size);
    return (drained += size) < kPipeCapacity;
  };
  if (err->read.open()) Drain(err->read.get(), take_rest);
  result.signal = WIFSIGNALED(child.status()) ? WTERMSIG(child.status()) : 0;
  result.exit_code = WIFEXITED(child.status()) ? WEXITSTATUS(child.status()) : 0;
  return result;
}

std::optional<std::string> FindInPath(const std::string& name, const std::string& path_list) {
  for (std::size_t begin = 0; begin < path_list.size();) {
    const std::size_t end = std::min(path_list.find(':', begin), path_list.size());
    if (path_list[begin] == '/') {
      std::string candidate = path_list.substr(begin, end - begin) + "/" + name;
      if (IsExecutableFile(candidate)) return candidate;
    }
    begin = end + 1;
  }
  return std::nullopt;
}

}  // namespace kinformer::internal
