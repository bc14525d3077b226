#ifndef KINFORMER_SRC_BASE_FILE_WRITER_H_
#define KINFORMER_SRC_BASE_FILE_WRITER_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::internal {

/// Replaces the file atomically: a reader sees either the old or the new content. The file has `mode` before any text
/// is written. Errors are kInvalidConfig and never quote the text.
Result<void> WriteFile(const std::string& path, std::string_view text, unsigned mode);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_BASE_FILE_WRITER_H_
