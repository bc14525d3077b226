#ifndef KINFORMER_SRC_APISERVER_FILE_WRITER_H_
#define KINFORMER_SRC_APISERVER_FILE_WRITER_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// Replaces the file atomically: a reader sees either the old or the new content. The file has `mode` before any text
/// is written. Errors are kInvalidConfig and never quote the text.
Result<void> WriteFile(const std::string& path, std::string_view text, unsigned mode);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FILE_WRITER_H_
