#ifndef KINFORMER_EXAMPLES_POD_WATCHER_KEYS_H_
#define KINFORMER_EXAMPLES_POD_WATCHER_KEYS_H_

#include <string>
#include <string_view>
#include <vector>

/// One pressed key.
struct Key {
  enum class Code { kText, kUp, kDown, kPageUp, kPageDown, kHome, kEnd, kEnter, kEscape, kBackspace, kClearLine };

  Code code = Code::kText;
  std::string text{};  ///< Of kText: one character in UTF-8.

  bool operator==(const Key&) const = default;
};

/// Bytes of a terminal as keys. Escape sequences and characters may be split across reads. Unknown sequences are
/// dropped.
class KeyDecoder {
 public:
  std::vector<Key> Feed(std::string_view bytes);
  /// True if the last byte was a lone ESC: the Escape key, or the start of a sequence whose rest is still to come.
  bool HasLoneEscape() const { return pending_ == "\033"; }
  /// The rest did not come: it was the Escape key. Precondition: HasLoneEscape().
  Key TakeEscape();

 private:
  std::string pending_;
};

#endif  // KINFORMER_EXAMPLES_POD_WATCHER_KEYS_H_
