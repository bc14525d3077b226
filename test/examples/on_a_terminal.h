#ifndef KINFORMER_TEST_EXAMPLES_ON_A_TERMINAL_H_
#define KINFORMER_TEST_EXAMPLES_ON_A_TERMINAL_H_

#include <sys/types.h>
#include <termios.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "test/examples/screen.h"

namespace kinformer::testing_support {

struct TerminalOptions {
  std::size_t width = 120;
  std::size_t height = 30;
  /// Added to the test's own environment, from which TERM and NO_COLOR are taken away.
  std::vector<std::string> environment = {"TERM=xterm"};
  /// Else it is /dev/null.
  bool stdin_is_terminal = true;
};

struct ProgramEnd {
  /// -1: by a signal.
  int code = -1;
  std::chrono::milliseconds took{};
};

/// A program on a terminal of its own. All waits have a deadline.
class OnATerminal {
 public:
  OnATerminal(const std::string& program, std::vector<std::string> arguments, const TerminalOptions& options = {});
  ~OnATerminal();
  OnATerminal(const OnATerminal&) = delete;
  OnATerminal& operator=(const OnATerminal&) = delete;

  /// Everything that was written, up to the first time that `words` are in it.
  std::string ReadUntil(const std::string& words);
  /// What the screen shows, once it is as wanted or the deadline has passed.
  std::string AwaitScreen(const std::function<bool(const Screen&)>& wanted);
  /// As soon as the screen shows `words`.
  std::string AwaitScreen(const std::string& words);

  void Type(const std::string& bytes);
  /// The screen is empty until the program redraws it.
  void Resize(std::size_t width, std::size_t height);
  void Send(int signal);
  /// Ctrl-C, as typed.
  ProgramEnd Interrupt();
  ProgramEnd AwaitEnd();
  /// False: it did not stop in time.
  bool AwaitStopped();

  /// Of the terminal now.
  termios Attributes() const;
  const Screen& screen() const { return screen_; }
  const std::string& written() const { return written_; }

 private:
  /// False: nothing came for a moment, or nothing more will come.
  bool Read();

  int terminal_ = -1;
  pid_t process_ = 0;
  bool closed_ = false;
  std::string written_;
  Screen screen_;
};

/// Modes and control characters are the same.
bool SameAttributes(const termios& a, const termios& b);

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_EXAMPLES_ON_A_TERMINAL_H_
