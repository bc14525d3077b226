#ifndef KINFORMER_TEST_EXAMPLES_SCREEN_H_
#define KINFORMER_TEST_EXAMPLES_SCREEN_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::testing_support {

/// What a terminal shows after the bytes that it got: as much of one as pod-watcher needs. Characters are one column
/// wide. Text beyond the last column or row is an error of the program: see overflowed().
class Screen {
 public:
  Screen(std::size_t width, std::size_t height);

  /// Bytes may be split anywhere.
  void Feed(std::string_view bytes);
  /// Leaves it empty.
  void Resize(std::size_t width, std::size_t height);

  /// Without trailing spaces.
  std::vector<std::string> Lines() const;
  std::string Text() const;
  bool alternate() const { return alternate_; }
  bool cursor_visible() const { return cursor_visible_; }
  bool overflowed() const { return overflowed_; }

 private:
  void Clear();
  void Put(std::string character);
  /// `sequence` without ESC [.
  void Control(std::string_view sequence);

  std::size_t width_;
  std::size_t height_;
  std::vector<std::vector<std::string>> cells_;
  std::size_t row_ = 0;
  std::size_t column_ = 0;
  bool alternate_ = false;
  bool cursor_visible_ = true;
  bool overflowed_ = false;
  std::string pending_;
};

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_EXAMPLES_SCREEN_H_
