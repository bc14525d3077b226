#ifndef KINFORMER_SRC_CODEC_STRUCTURAL_INDEX_H_
#define KINFORMER_SRC_CODEC_STRUCTURAL_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace kinformer::internal {

/// The positions of every bracket, comma and colon outside of strings, and of the first byte of every string, number
/// and literal, in order. Between the end of a token and the next position there is only white space.
///
/// Empty if the text is not valid UTF-8, if a string is not closed or contains a control character, or if there is only
/// white space. The text needs no padding. Only one may exist on a thread at a time: they share its buffers.
class StructuralIndex {
 public:
  explicit StructuralIndex(std::string_view text);
  ~StructuralIndex();
  StructuralIndex(const StructuralIndex&) = delete;
  StructuralIndex& operator=(const StructuralIndex&) = delete;

  const std::uint32_t* begin() const { return begin_; }
  std::size_t size() const { return size_; }

 private:
  struct Stage;
  std::unique_ptr<Stage> own_;
  const std::uint32_t* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CODEC_STRUCTURAL_INDEX_H_
