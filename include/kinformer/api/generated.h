#ifndef KINFORMER_API_GENERATED_H_
#define KINFORMER_API_GENERATED_H_

// What the header of a typed struct needs, and nothing that costs compile time beyond it: no Result, no JSON library.

#include <kinformer/api/field.h>
#include <kinformer/api/list.h>
#include <kinformer/api/map.h>
#include <kinformer/api/part.h>
#include <kinformer/api/rest.h>
#include <kinformer/api/type.h>

#endif  // KINFORMER_API_GENERATED_H_
