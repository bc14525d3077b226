#ifndef KINFORMER_SRC_APISERVER_FILE_WRITER_H_
#define KINFORMER_SRC_APISERVER_FILE_WRITER_H_

#include <string>
#include <string_view>

#include <kinformer/base/result.h>

namespace kinformer::apiserver {

/// Takes the place of what was there, at once: a reader sees the old file or the new one. `mode` from its first byte
/// on. kInvalidConfig says what went wrong, and quotes nothing of the text.
Result<void> WriteFile(const std::string& path, std::string_view text, unsigned mode);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FILE_WRITER_H_
