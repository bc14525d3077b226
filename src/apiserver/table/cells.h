#ifndef KINFORMER_SRC_APISERVER_TABLE_CELLS_H_
#define KINFORMER_SRC_APISERVER_TABLE_CELLS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/codec/json_text.h"

namespace kinformer::apiserver {

/// Writes the cells of one row as JSON.
class Cells {
 public:
  explicit Cells(std::string& out) : out_(out) {}

  void Text(std::string_view text) {
    Separate();
    internal::AppendQuoted(text, out_);
  }
  void TextOr(std::string_view text, std::string_view otherwise) { Text(text.empty() ? otherwise : text); }
  void Int(std::int64_t value) { Raw(std::to_string(value)); }
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  /// Any JSON, unchanged.
  void Raw(std::string_view json) {
    Separate();
    out_ += json;
  }

 private:
  void Separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }

  std::string& out_;
  bool first_ = true;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_TABLE_CELLS_H_
