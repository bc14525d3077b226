#ifndef KINFORMER_SRC_GEN_COMMENT_H_
#define KINFORMER_SRC_GEN_COMMENT_H_

#include <string>
#include <string_view>
#include <vector>

namespace kinformer::gen {

/// A description and facts as lines of a doc comment, each with `indent`, wrapped at 120 columns; empty if there is
/// neither. The text may be anything: no character of it ends the comment or continues it on the next line.
std::string DocComment(std::string_view indent, std::string_view description, const std::vector<std::string>& facts);

}  // namespace kinformer::gen

#endif  // KINFORMER_SRC_GEN_COMMENT_H_
