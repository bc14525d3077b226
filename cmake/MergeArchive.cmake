# cmake -DAR=ar -DINTO=libours.a -DFROM=libtheirs.a -P MergeArchive.cmake: adds the objects of FROM to INTO. The build
# has just recreated INTO, so nothing is added twice.
cmake_minimum_required(VERSION 3.25)
# ar's script language has no quoting, so the archives get simple names in a work directory.
set(work "${INTO}.merge")
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")
file(CREATE_LINK "${FROM}" "${work}/from.a" SYMBOLIC)
file(RENAME "${INTO}" "${work}/into.a")
file(WRITE "${work}/script" "CREATE both.a\nADDLIB into.a\nADDLIB from.a\nSAVE\nEND\n")
execute_process(COMMAND "${AR}" -M WORKING_DIRECTORY "${work}" INPUT_FILE "${work}/script" RESULT_VARIABLE result
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${AR} -M: ${output}")
endif()
file(RENAME "${work}/both.a" "${INTO}")
file(REMOVE_RECURSE "${work}")
