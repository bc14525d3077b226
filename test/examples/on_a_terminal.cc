#include "test/examples/on_a_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <gtest/gtest.h>

namespace kinformer::testing_support {
namespace {

using std::chrono::steady_clock;

constexpr auto kTerminalPatience = std::chrono::seconds(20);

winsize SizeOf(std::size_t width, std::size_t height) {
  return {.ws_row = static_cast<unsigned short>(height),
          .ws_col = static_cast<unsigned short>(width),
          .ws_xpixel = 0,
          .ws_ypixel = 0};
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> EnvironmentWith(const std::vector<std::string>& more) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with("TERM=") && !text.starts_with("NO_COLOR=")) environment.emplace_back(text);
  }
  environment.insert(environment.end(), more.begin(), more.end());
  return environment;
}

}  // namespace

OnATerminal::OnATerminal(const std::string& program, std::vector<std::string> arguments, const TerminalOptions& options)
    : screen_(options.width, options.height) {
  arguments.insert(arguments.begin(), program);
  std::vector<std::string> environment = EnvironmentWith(options.environment);
  const std::vector<char*> argv = Pointers(arguments);
  const std::vector<char*> envp = Pointers(environment);
  const winsize size = SizeOf(options.width, options.height);
  process_ = forkpty(&terminal_, nullptr, nullptr, &size);
  if (process_ == 0) {
    const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (!options.stdin_is_terminal) dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    execve(program.c_str(), argv.data(), envp.data());
    _exit(127);
  }
}

OnATerminal::~OnATerminal() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  if (terminal_ >= 0) close(terminal_);
}

bool OnATerminal::Read() {
  pollfd ready{.fd = terminal_, .events = POLLIN, .revents = 0};
  if (closed_ || poll(&ready, 1, 50) <= 0) return false;
  std::array<char, 4096> buffer{};
  const ssize_t size = read(terminal_, buffer.data(), buffer.size());
  closed_ = size <= 0;  // no process has the terminal any more
  if (closed_) return false;
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
  written_ += bytes;
  screen_.Feed(bytes);
  return true;
}

std::string OnATerminal::ReadUntil(const std::string& words) {
  const auto deadline = steady_clock::now() + kTerminalPatience;
  while (written_.find(words) == std::string::npos && !closed_ && steady_clock::now() < deadline) Read();
  return written_;
}

std::string OnATerminal::AwaitScreen(const std::function<bool(const Screen&)>& wanted) {
  const auto deadline = steady_clock::now() + kTerminalPatience;
  while (!wanted(screen_) && !closed_ && steady_clock::now() < deadline) Read();
  return screen_.Text();
}

std::string OnATerminal::AwaitScreen(const std::string& words) {
  return AwaitScreen([&](const Screen& screen) { return screen.Text().find(words) != std::string::npos; });
}

void OnATerminal::Type(const std::string& bytes) {
  EXPECT_EQ(write(terminal_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

void OnATerminal::Resize(std::size_t width, std::size_t height) {
  screen_.Resize(width, height);
  const winsize size = SizeOf(width, height);
  EXPECT_EQ(ioctl(terminal_, TIOCSWINSZ, &size), 0);
}

void OnATerminal::Send(int signal) { EXPECT_EQ(kill(process_, signal), 0); }

ProgramEnd OnATerminal::Interrupt() {
  Type("\x03");
  return AwaitEnd();
}

ProgramEnd OnATerminal::AwaitEnd() {
  const auto begun = steady_clock::now();
  while (!closed_ && steady_clock::now() < begun + kTerminalPatience) Read();
  if (!closed_) kill(process_, SIGKILL);
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = 0;
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .took = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begun)};
}

bool OnATerminal::AwaitStopped() {
  const auto deadline = steady_clock::now() + kTerminalPatience;
  int status = 0;
  while (waitpid(process_, &status, WUNTRACED | WNOHANG) == 0) {
    if (steady_clock::now() > deadline) return false;
    Read();
  }
  while (Read()) {
  }
  return WIFSTOPPED(status);
}

termios OnATerminal::Attributes() const {
  termios attributes{};
  EXPECT_EQ(tcgetattr(terminal_, &attributes), 0);
  return attributes;
}

bool SameAttributes(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag && a.c_lflag == b.c_lflag &&
         std::equal(std::begin(a.c_cc), std::end(a.c_cc), std::begin(b.c_cc));
}

}  // namespace kinformer::testing_support
