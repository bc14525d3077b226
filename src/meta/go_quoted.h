#ifndef KINFORMER_SRC_META_GO_QUOTED_H_
#define KINFORMER_SRC_META_GO_QUOTED_H_

#include <string>
#include <string_view>

namespace kinformer::internal {

/// Quoted as by Go's %q, for error messages that must be those of a real server.
std::string GoQuoted(std::string_view text);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_META_GO_QUOTED_H_
