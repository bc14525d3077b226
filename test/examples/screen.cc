#include "test/examples/screen.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace kinformer::testing_support {

Screen::Screen(std::size_t width, std::size_t height) : width_(width), height_(height) { Clear(); }

void Screen::Clear() { cells_.assign(height_, std::vector<std::string>(width_, " ")); }

void Screen::Resize(std::size_t width, std::size_t height) {
  width_ = width;
  height_ = height;
  Clear();
}

void Screen::Put(std::string character) {
  if (row_ >= height_ || column_ >= width_) {
    overflowed_ = overflowed_ || alternate_;
    return;
  }
  cells_[row_][column_++] = std::move(character);
}

void Screen::Control(std::string_view sequence) {
  const std::string_view arguments = sequence.substr(0, sequence.size() - 1);
  switch (sequence.back()) {
    case 'H': {
      std::size_t row = 1;
      std::size_t column = 1;
      const char* const end = arguments.data() + arguments.size();
      const auto [next, error] = std::from_chars(arguments.data(), end, row);
      if (next != end) std::from_chars(next + 1, end, column);
      row_ = std::min(row, height_) - 1;
      column_ = std::min(column, width_) - 1;
      break;
    }
    case 'K':
      for (std::size_t i = column_; i < width_; ++i) cells_[row_][i] = " ";
      break;
    case 'h':
    case 'l':
      if (arguments == "?25") cursor_visible_ = sequence.back() == 'h';
      if (arguments == "?1049") {
        alternate_ = sequence.back() == 'h';
        Clear();
        row_ = column_ = 0;
      }
      break;
    default:
      break;  // colours and attributes
  }
}

void Screen::Feed(std::string_view bytes) {
  pending_ += bytes;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const auto first = static_cast<unsigned char>(rest[0]);
    std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first == 0x1b) {
      const auto end = std::find_if(rest.begin() + std::min<std::ptrdiff_t>(2, std::ssize(rest)), rest.end(),
                                    [](char c) { return c >= '@' && c <= '~'; });
      length = static_cast<std::size_t>(end - rest.begin()) + 1;
    }
    if (length > rest.size()) break;
    if (first == 0x1b) {
      Control(rest.substr(2, length - 2));
    } else if (first == '\r') {
      column_ = 0;
    } else if (first == '\n') {
      row_ = std::min(row_ + 1, height_ - 1);
    } else {
      Put(std::string(rest.substr(0, length)));
    }
    rest.remove_prefix(length);
  }
  pending_ = std::string(rest);
}

std::vector<std::string> Screen::Lines() const {
  std::vector<std::string> lines;
  for (const auto& cells : cells_) {
    std::string line;
    for (const std::string& cell : cells) line += cell;
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string Screen::Text() const {
  std::string text;
  for (const std::string& line : Lines()) text += line + "\n";
  return text;
}

}  // namespace kinformer::testing_support
