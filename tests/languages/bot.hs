import Control.Monad (replicateM, unless)
import System.IO

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering
    _ <- getLine
    turn

turn :: IO ()
turn = do
    end <- isEOF
    unless end $ do
        _ <- replicateM 10 getLine
        count <- fmap read getLine
        actions <- replicateM count getLine
        putStrLn (head actions)
        turn
