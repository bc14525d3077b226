#ifndef KINFORMER_EXAMPLES_POD_WATCHER_TERMINAL_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_TERMINAL_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "keys.h"

struct TerminalSize {
  std::size_t width = 80;
  std::size_t height = 24;

  bool operator==(const TerminalSize&) const = default;
};

/// True if the file is a terminal that can move its cursor: any but TERM=dumb.
bool CanDraw(int file);
/// True if standard input is a terminal that this process may read: it is not in the background.
bool CanReadKeys();

/// The bytes that turn a screen of lines into another one of the same size, `width` columns wide. Lines that do not
/// change are left alone. An empty `before` is a screen of unknown content.
std::string Redraw(const std::vector<std::string>& before, const std::vector<std::string>& after, std::size_t width);

/// Ends a Terminal::Wait, from any thread or signal handler. More than once before the next Wait counts as once.
class Waker {
 public:
  Waker();
  ~Waker();
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

  void Wake() const noexcept;

 private:
  friend class Terminal;
  int read_end_ = -1;
  int write_end_ = -1;
};

/// The terminal on standard output, taken over while this object exists: alternate screen, no cursor, and keys unechoed
/// as they are typed. The terminal is restored by the destructor, by fatal signals, and while the process is suspended.
/// Ctrl-C and Ctrl-Z still send their signals. At most one at a time.
class Terminal {
 public:
  /// `waker` must outlive it; the signals of a new size and of a suspension wake it too.
  explicit Terminal(const Waker& waker);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  TerminalSize Size() const;
  /// True if the screen does not show the last frame in this size any more: before the first one, after a resize or a
  /// suspension.
  bool NeedsFrame() const { return shown_.empty() || shown_size_ != Size(); }
  /// Shows one line a row, in one write. False: the terminal is gone.
  bool Show(std::vector<std::string> lines, TerminalSize size);
  /// Until a key, a wake-up or the timeout. Keys only if CanReadKeys() was true.
  std::vector<Key> Wait(std::chrono::milliseconds timeout);

 private:
  std::vector<Key> ReadKeys();
  /// Suspends the process if Ctrl-Z was pressed; takes the terminal over again after it.
  void HandleJobControl();

  const Waker& waker_;
  bool reads_keys_;
  KeyDecoder decoder_;
  std::vector<std::string> shown_;
  TerminalSize shown_size_;
};

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_TERMINAL_H_
