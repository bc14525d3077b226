#ifndef KINFORMER_CODEC_OBJECT_LIST_H_
#define KINFORMER_CODEC_OBJECT_LIST_H_

#include <kinformer/codec/object.h>
#include <kinformer/meta/list.h>

namespace kinformer {

/// Objects of any kind.
using ObjectList = ListOf<ObjectPtr>;

}  // namespace kinformer

#endif  // KINFORMER_CODEC_OBJECT_LIST_H_
