#include "terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "text.h"

namespace {

// Alternate screen, no line wrap, no cursor; and back, with the cursor at the end for terminals without such a screen.
constexpr std::string_view kEnter = "\033[?1049h\033[?7l\033[?25l";
constexpr std::string_view kLeave = "\033[0m\033[999;1H\033[?25h\033[?7h\033[?1049l";
/// A lone ESC is the Escape key if no more comes for this long.
constexpr std::chrono::milliseconds kEscapeDelay{50};

constexpr std::array kFatalSignals = {SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
constexpr std::array kOtherSignals = {SIGWINCH, SIGTSTP, SIGCONT};

/// For the signal handlers, which may run on any thread.
struct Shared {
  std::atomic<bool> taken_over = false;
  std::atomic<bool> suspend = false;
  std::atomic<bool> continued = false;
  bool raw = false;
  termios before{};
  const Waker* waker = nullptr;
  std::array<struct sigaction, kFatalSignals.size()> fatal_actions{};
  std::array<struct sigaction, kOtherSignals.size()> other_actions{};
};
Shared shared;

bool WriteAll(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
      poll(&ready, 1, 100);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

/// A process in the background that changes the terminal is stopped by SIGTTOU, unless that is blocked.
void SetAttributes(const termios& attributes) noexcept {
  sigset_t stop;
  sigset_t mask;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &stop, &mask);
  tcsetattr(STDIN_FILENO, TCSANOW, &attributes);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

void TakeOver() {
  if (shared.raw) {
    tcgetattr(STDIN_FILENO, &shared.before);
    termios raw = shared.before;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
    raw.c_iflag &= ~static_cast<tcflag_t>(IXON);  // Ctrl-S would block the next write
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    shared.taken_over = true;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  shared.taken_over = true;
  WriteAll(kEnter);
}

/// Async-signal-safe.
void Restore() noexcept {
  if (!shared.taken_over.exchange(false)) return;
  WriteAll(kLeave);
  if (shared.raw) SetAttributes(shared.before);
}

void OnFatalSignal(int signal) {
  Restore();
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) {
    if (kFatalSignals[i] == signal) sigaction(signal, &shared.fatal_actions[i], nullptr);
  }
  raise(signal);  // delivered when this returns
}

void OnSignal(int signal) {
  const int error = errno;
  if (signal == SIGTSTP) shared.suspend = true;
  if (signal == SIGCONT) shared.continued = true;
  shared.waker->Wake();
  errno = error;
}

}  // namespace

bool CanDraw(int file) {
  const char* const type = std::getenv("TERM");
  return isatty(file) != 0 && (type == nullptr || std::string_view(type) != "dumb");
}

bool CanReadKeys() {
  if (isatty(STDIN_FILENO) == 0) return false;
  const pid_t foreground = tcgetpgrp(STDIN_FILENO);
  return foreground == -1 || foreground == getpgrp();  // -1: not the controlling terminal, which has no background
}

std::string Redraw(const std::vector<std::string>& before, const std::vector<std::string>& after, std::size_t width) {
  std::string bytes;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (i < before.size() && before[i] == after[i]) continue;
    bytes += "\033[" + std::to_string(i + 1) + ";1H" + after[i];
    // Not behind the last column, where some terminals would clear that.
    if (DisplayWidth(after[i]) < width) bytes += "\033[K";
  }
  return bytes;
}

Waker::Waker() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  read_end_ = ends[0];
  write_end_ = ends[1];
}

Waker::~Waker() {
  close(read_end_);
  close(write_end_);
}

void Waker::Wake() const noexcept {
  const char byte = 0;
  while (write(write_end_, &byte, 1) < 0 && errno == EINTR) {
  }
}

Terminal::Terminal(const Waker& waker) : waker_(waker), reads_keys_(CanReadKeys()) {
  shared.waker = &waker;
  shared.raw = reads_keys_;
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  action.sa_handler = OnFatalSignal;
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) sigaction(kFatalSignals[i], &action, &shared.fatal_actions[i]);
  action.sa_handler = OnSignal;
  for (std::size_t i = 0; i < kOtherSignals.size(); ++i) sigaction(kOtherSignals[i], &action, &shared.other_actions[i]);
  TakeOver();
}

Terminal::~Terminal() {
  Restore();
  for (std::size_t i = 0; i < kFatalSignals.size(); ++i) sigaction(kFatalSignals[i], &shared.fatal_actions[i], nullptr);
  for (std::size_t i = 0; i < kOtherSignals.size(); ++i) sigaction(kOtherSignals[i], &shared.other_actions[i], nullptr);
}

TerminalSize Terminal::Size() const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {.width = size.ws_col, .height = size.ws_row};
}

bool Terminal::Show(std::vector<std::string> lines, TerminalSize size) {
  if (!shared.taken_over) return true;  // about to be suspended
  if (size != shown_size_) shown_.clear();
  const std::string bytes = Redraw(shown_, lines, size.width);
  shown_ = std::move(lines);
  shown_size_ = size;
  return WriteAll(bytes);
}

std::vector<Key> Terminal::Wait(std::chrono::milliseconds timeout) {
  const bool escape = decoder_.HasLoneEscape();
  if (escape) timeout = std::min(timeout, kEscapeDelay);
  std::array<pollfd, 2> ready = {pollfd{.fd = waker_.read_end_, .events = POLLIN, .revents = 0},
                                 pollfd{.fd = reads_keys_ ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0}};
  const int count = poll(ready.data(), ready.size(), static_cast<int>(std::max<std::int64_t>(0, timeout.count())));
  if (count == 0 && escape) return {decoder_.TakeEscape()};
  if (count <= 0) return {};
  if (ready[0].revents != 0) {
    std::array<char, 64> drained{};
    while (read(waker_.read_end_, drained.data(), drained.size()) > 0) {
    }
    HandleJobControl();
  }
  return ready[1].revents != 0 ? ReadKeys() : std::vector<Key>{};
}

std::vector<Key> Terminal::ReadKeys() {
  std::array<char, 1024> bytes{};
  const ssize_t size = read(STDIN_FILENO, bytes.data(), bytes.size());
  if (size > 0) return decoder_.Feed({bytes.data(), static_cast<std::size_t>(size)});
  if (size == 0 || (errno != EINTR && errno != EAGAIN)) reads_keys_ = false;  // the terminal was closed
  return {};
}

void Terminal::HandleJobControl() {
  if (shared.suspend.exchange(false)) {
    Restore();
    kill(getpid(), SIGSTOP);
  }
  if (shared.continued.exchange(false)) {
    Restore();
    TakeOver();
    shown_.clear();
  }
}
