#ifndef KINFORMER_SRC_CODEC_STRUCTURAL_INDEX_H_
#define KINFORMER_SRC_CODEC_STRUCTURAL_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace kinformer::internal {

/// Positions of every bracket, comma and colon outside strings, and of the first byte of every string, number and
/// literal, in order. What lies between the end of one token and the next position is whitespace.
///
/// Empty if the text is not UTF-8, if a string is not closed or has a control character in it, or if nothing but
/// whitespace is there. The text needs no padding. Only one at a time may live on a thread: they share its buffers.
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
