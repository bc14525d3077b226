#include "src/gen/comment.h"

#include <cstddef>
#include <utility>

#include "src/base/utf8.h"

namespace kinformer::gen {
namespace {

constexpr std::size_t kColumns = 120;

/// Characters that change the direction of the text after them, about which compilers warn.
bool IsDirection(std::string_view character) {
  if (character.size() != 3 || character[0] != '\xE2') return false;
  const auto second = static_cast<unsigned char>(character[1]);
  const auto third = static_cast<unsigned char>(character[2]);
  return (second == 0x80 && ((third >= 0x8E && third <= 0x8F) || (third >= 0xA8 && third <= 0xAE))) ||
         (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

/// The words of each line of `text`.
std::vector<std::vector<std::string>> Lines(std::string_view text) {
  std::vector<std::vector<std::string>> lines(1);
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) lines.back().push_back(std::exchange(word, {}));
  };
  while (!text.empty()) {
    const std::size_t length = internal::Utf8Length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(character.size());
    if (character == "\n") {
      end_word();
      lines.emplace_back();
    } else if (length == 0 || character == " " || IsDirection(character) ||
               (length == 1 && (character[0] < ' ' || character[0] == '\x7F'))) {
      end_word();
    } else {
      word += character;
    }
  }
  end_word();
  return lines;
}

/// Writes words; a line never ends in a backslash, nor in its trigraph, which would continue the comment.
class Writer {
 public:
  explicit Writer(std::string_view indent) : begin_(std::string(indent) + "///") {}

  void Line(const std::vector<std::string>& words) {
    std::string line = begin_;
    for (const std::string& word : words) {
      if (line.size() > begin_.size() && line.size() + 1 + word.size() > kColumns) {
        End(std::move(line));
        line = begin_;
      }
      line += " " + word;
    }
    End(std::move(line));
  }
  std::string Take() { return std::move(text_); }

 private:
  void End(std::string line) {
    while (line.ends_with('\\') || line.ends_with("?\?/")) line.pop_back();
    text_ += line + "\n";
  }

  std::string begin_;
  std::string text_{};
};

}  // namespace

std::string DocComment(std::string_view indent, std::string_view description, const std::vector<std::string>& facts) {
  Writer writer(indent);
  auto lines = Lines(description);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  std::size_t first = 0;
  while (first < lines.size() && lines[first].empty()) ++first;
  for (std::size_t i = first; i < lines.size(); ++i) writer.Line(lines[i]);
  if (!facts.empty()) {
    std::string text;
    for (const std::string& fact : facts) text += (text.empty() ? "[" : "; ") + fact;
    std::vector<std::string> words;
    for (const auto& line : Lines(text + "]")) words.insert(words.end(), line.begin(), line.end());
    writer.Line(words);
  }
  return writer.Take();
}

}  // namespace kinformer::gen
