#include "src/codec/structural_index.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>

#include "src/codec/json_text.h"

namespace kinformer::internal {
namespace {

constexpr std::size_t kSmallest = 64U << 10U;
/// A thread keeps buffers (4 bytes for each byte of text) for texts up to this size. Larger texts are rare and get
/// temporary buffers.
constexpr std::size_t kKept = 1U << 20U;

}  // namespace

/// Only simdjson's first stage, through the interface that its own front ends use: it is the vectorised half, and all
/// that a validator without a DOM needs.
struct StructuralIndex::Stage {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;

  bool Reserve(std::size_t bytes) {
    if (parser && parser->capacity() >= bytes) return true;
    parser.reset();
    return simdjson::get_active_implementation()->create_dom_parser_implementation(bytes, kMaxJsonDepth, parser) ==
           simdjson::SUCCESS;
  }
};

StructuralIndex::StructuralIndex(std::string_view text) {
  thread_local Stage kept;
  if (text.empty()) return;
  Stage* stage = &kept;
  if (text.size() > kKept) {
    own_ = std::make_unique<Stage>();
    stage = own_.get();
    if (!stage->Reserve(text.size())) return;
  } else if (!stage->Reserve(std::bit_ceil(std::max(text.size(), kSmallest)))) {
    return;
  }
  const auto error = stage->parser->stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                           simdjson::stage1_mode::regular);
  if (error != simdjson::SUCCESS) return;
  begin_ = stage->parser->structural_indexes.get();
  size_ = stage->parser->n_structural_indexes;
}

StructuralIndex::~StructuralIndex() = default;

}  // namespace kinformer::internal
