#ifndef KINFORMER_SRC_SCHEMA_FIELD_PATH_H_
#define KINFORMER_SRC_SCHEMA_FIELD_PATH_H_

// In:     the steps down into a value
// Out:    the path as text, built only when needed
// Thread: any; lives on the stack of one traversal
// Next:   messages about fields

#include <cstddef>
#include <string>
#include <string_view>

namespace kinformer::apiserver {

/// One step of a path. Refers to its parent and to `name`, which must outlive it.
class FieldPath {
 public:
  /// The root; `text` is its path, usually "".
  explicit FieldPath(std::string_view text = {}) : name_(text) {}
  FieldPath(const FieldPath& parent, std::string_view name) : parent_(&parent), name_(name) {}
  FieldPath(const FieldPath& parent, std::size_t index) : parent_(&parent), index_(index), is_index_(true) {}
  FieldPath(const FieldPath&) = delete;
  FieldPath& operator=(const FieldPath&) = delete;

  /// "spec.containers[0].image"
  std::string Text() const {
    std::string text;
    AppendTo(text, true);
    return text;
  }
  /// "spec.containers.image"
  std::string TextWithoutIndices() const {
    std::string text;
    AppendTo(text, false);
    return text;
  }

 private:
  void AppendTo(std::string& text, bool indices) const {  // NOLINT(misc-no-recursion)
    if (parent_ != nullptr) parent_->AppendTo(text, indices);
    if (is_index_) {
      if (indices) text += "[" + std::to_string(index_) + "]";
      return;
    }
    if (!text.empty() && !name_.empty()) text += '.';
    text += name_;
  }

  const FieldPath* parent_ = nullptr;
  std::string_view name_{};
  std::size_t index_ = 0;
  bool is_index_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_SCHEMA_FIELD_PATH_H_
